package rest

// table is a body that can be written as rows, too.
type table interface {
	json() [][]byte // in pieces, which others may share
	csv() []byte
	missing() []string // ids without an answer, for which there are no rows
}

// rowSize estimates the length of a row in text.
const rowSize = 160
