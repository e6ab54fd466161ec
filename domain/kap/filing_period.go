package kap

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"piyasa/domain/market"
)

// Labels of period lengths, in either language of the platform and without Turkish letters.
var (
	labelOfMonths = regexp.MustCompile(`^0?(\d|1\d)[ -]?(?:aylik|ay|months?|m)$`)
	labelOfYear   = regexp.MustCompile(`^(?:yillik|yil sonu|annual|yearly|full year|year|fy)$`)
)

// key identifies a period by its last day and length, and orders periods. A label that does not
// state a length is a period of its own; letter case does not matter.
func (h *FilingSummary) key() string {
	label, months := strings.Join(strings.Fields(market.Fold(h.Period)), " "), 0
	if parts := labelOfMonths.FindStringSubmatch(label); parts != nil {
		months, _ = strconv.Atoi(parts[1])
	} else if labelOfYear.MatchString(label) {
		months = 12
	}
	if months == 0 {
		return h.EndDate.String() + "\x00label " + label
	}
	return fmt.Sprintf("%s\x00months %02d", h.EndDate, months)
}
