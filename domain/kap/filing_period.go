package kap

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"piyasa/domain/market"
)

// Labels that say how long a period is, in either language of the platform and without the
// letters of Turkish.
var (
	labelOfMonths = regexp.MustCompile(`^0?(\d|1\d)[ -]?(?:aylik|ay|months?|m)$`)
	labelOfYear   = regexp.MustCompile(`^(?:yillik|yil sonu|annual|yearly|full year|year|fy)$`)
)

// key tells periods apart by their last day and length, and orders them. A label that does not
// say how long its period is is a period of its own, in any letter case.
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
