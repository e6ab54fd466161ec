package kap

// Portion is how many disclosures are read at once: fewer after a read that failed, since
// large ones may not come within its deadline over a slow connection, and more again after
// some that did not. Not safe for concurrent use.
type Portion struct {
	Most int // of one read
	less int // how often it was halved
	fine int // reads since then, or since it was doubled, that did not fail
}

// fineReads is after how many of them a portion is doubled again: a read that fails takes
// its whole deadline.
const fineReads = 16

// Size returns how many to read next, at least one.
func (p *Portion) Size() int { return max(1, p.Most>>p.less) }

// Done takes note of how a read of Size ended, and returns err.
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
