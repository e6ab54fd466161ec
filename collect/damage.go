package collect

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/encoding/htmlindex"
)

// CheckJSON returns the fault of a text that must be one JSON value. It also rejects faults
// that a reader could repair: a member that is stated twice, bytes that are not UTF-8, or half
// of a surrogate pair.
func CheckJSON(text []byte) error {
	in := jsontext.NewDecoder(bytes.NewBuffer(text)) // reads a buffer in place
	if _, err := in.ReadValue(); err != nil {
		return plainJSON(err)
	}
	if _, err := in.ReadToken(); err != io.EOF {
		return errors.New("there is something after the JSON")
	}
	return nil
}

// plainJSON rewrites an error of jsontext without names of packages.
func plainJSON(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends in the middle")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "jsontext: "))
}

// replaced is what readers put in place of an invalid character.
const replaced = string(utf8.RuneError)

// ReadXML reads a document in the encoding that it declares. It also rejects faults that a
// reader could repair: an attribute that is stated twice, bytes that the encoding does not
// have, invalid characters, and anything after the end.
func ReadXML(text []byte, into any) error {
	in := xmlDecoder(text)
	for {
		token, err := in.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := checkToken(token, bytes.Contains(text, []byte(replaced))); err != nil {
			return fmt.Errorf("line %d: %w", lineOf(in), err)
		}
	}
	return xmlDecoder(text).Decode(into)
}

func lineOf(in *xml.Decoder) int {
	line, _ := in.InputPos()
	return line
}

func checkToken(token xml.Token, mayReplace bool) error {
	switch token := token.(type) {
	case xml.CharData:
		if !mayReplace && bytes.Contains(token, []byte(replaced)) {
			return errors.New("it has a character that is none")
		}
	case xml.StartElement:
		stated := map[xml.Name]bool{}
		for _, a := range token.Attr {
			if stated[a.Name] {
				return fmt.Errorf("the attribute %s of %s is stated twice", a.Name.Local, token.Name.Local)
			}
			stated[a.Name] = true
			if !mayReplace && strings.Contains(a.Value, replaced) {
				return fmt.Errorf("the attribute %s of %s has a character that is none", a.Name.Local, token.Name.Local)
			}
		}
	}
	return nil
}

func xmlDecoder(text []byte) *xml.Decoder {
	in := xml.NewDecoder(bytes.NewReader(text))
	in.CharsetReader = func(label string, body io.Reader) (io.Reader, error) {
		encoding, err := htmlindex.Get(label)
		if err != nil {
			return nil, fmt.Errorf("the encoding %q: %w", label, err)
		}
		return encoding.NewDecoder().Reader(body), nil
	}
	return in
}

// Once is the text of an element that must not be there twice.
type Once struct {
	Text   string
	stated bool
}

// UnmarshalXML implements xml.Unmarshaler.
func (o *Once) UnmarshalXML(in *xml.Decoder, start xml.StartElement) error {
	if o.stated {
		return fmt.Errorf("the element %s is stated twice", start.Name.Local)
	}
	o.stated = true
	return in.DecodeElement(&o.Text, &start)
}
