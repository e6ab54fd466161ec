package value

const withMilliseconds = "2006-01-02T15:04:05.000Z"

// The length of a day in milliseconds, and the years that have four digits.
const (
	dayLength = 24 * 60 * 60 * 1000
	fourDigit = 3_652_059 * dayLength // from the year 1 to the end of 9999
)

// appendText appends the text of an instant that is not null. Answers contain thousands of them,
// and package time takes four times as long.
func (i Instant) appendText(b []byte) []byte {
	if i.ms < 0 || i.ms >= fourDigit {
		return i.Time().AppendFormat(b, withMilliseconds)
	}
	year, month, day := civil(i.ms / dayLength)
	ms := i.ms % dayLength
	b = append(b, "0000-00-00T00:00:00Z"...)
	text := b[len(b)-20:]
	put(text, 0, year/100)
	put(text, 2, year%100)
	put(text, 5, month)
	put(text, 8, day)
	put(text, 11, ms/3_600_000)
	put(text, 14, ms/60_000%60)
	put(text, 17, ms/1000%60)
	if ms %= 1000; ms != 0 {
		b = append(b[:len(b)-1], '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10), 'Z')
	}
	return b
}

// put writes two digits at a place of text.
func put(text []byte, at int, n int64) {
	text[at], text[at+1] = '0'+byte(n/10), '0'+byte(n%10)
}

// civil returns the Gregorian date of a day counted from the start of the year 1. It begins years
// in March, so that a leap day is the last day of its year and the lengths of months follow a
// linear formula.
func civil(days int64) (year, month, day int64) {
	const (
		toMarch    = 306     // days from March 1 to the end of the year
		perCentury = 146_097 // days of four centuries
		perYear    = 1461    // days of four years
	)
	n := 4*(days+toMarch) + 3
	century, n := n/perCentury, n%perCentury|3
	year, n = n/perYear, n%perYear/4 // n: day of the year
	line := 2141*n + 197_913
	year, month, day = 100*century+year, line>>16, (line&0xffff)/2141+1
	if n >= toMarch {
		year, month = year+1, month-12
	}
	return year, month, day
}
