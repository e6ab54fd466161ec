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

// CheckJSON returns the fault of a text that must be one JSON value: also one that a reader
// could make up for, a member that is stated twice, bytes that are not UTF-8, or half of a pair
// of surrogates.
func CheckJSON(text []byte) error {
	in := jsontext.NewDecoder(bytes.NewBuffer(text)) // which reads a buffer where it is
	if _, err := in.ReadValue(); err != nil {
		return plainJSON(err)
	}
	if _, err := in.ReadToken(); err != io.EOF {
		return errors.New("there is something after the JSON")
	}
	return nil
}

// plainJSON returns an error of jsontext in words that name no package.
func plainJSON(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends in the middle")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "jsontext: "))
}

// replaced is what readers put in the place of a character that is none.
const replaced = string(utf8.RuneError)

// ReadXML reads a document in the encoding that it declares. It refuses what a reader could make
// up for: an attribute that is stated twice, bytes that the encoding does not have, characters
// that are none, and anything after the end.
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
