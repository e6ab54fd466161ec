package kap

// Portion is how many disclosures to read at once. A failed read halves it, since large
// disclosures may not arrive before the deadline over a slow connection; successful reads
// double it again. Call Size before and Done after each read. Not safe for concurrent use.
type Portion struct {
	Most int // of one read, at most
	less int // how often it was halved
	fine int // successful reads since then, or since the last doubling
}

// fineReads is after how many successful reads a portion doubles: a failed read takes its whole
// deadline.
const fineReads = 16

// Size returns how many disclosures to read next, at least one.
func (p *Portion) Size() int { return max(1, p.Most>>p.less) }

// Done records how a read of Size ended, and returns err.
func (p *Portion) Done(err error) error {
	switch p.fine++; {
	case err != nil:
		p.fine = 0
		if p.Size() > 1 {
			p.less++
		}
	case p.fine >= fineReads && p.less > 0:
		p.less, p.fine = p.less-1, 0
	}
	return err
}
