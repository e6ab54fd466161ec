package standin

import "fmt"

// VYKPeriod returns the first and the last day of the period of a financial report.
func VYKPeriod(n int64) (first, last string) {
	year := vykTime(n).Year()
	return fmt.Sprintf("%d-01-01", year-1), fmt.Sprintf("%d-12-31", year-1)
}

// VYKRestated reports whether a financial report is under the inflation standard.
func VYKRestated(n int64) bool { return n%12 == 1 }

// vykReport returns the statements of a financial report. One element is an object, several are
// a list, at every level; a text in two languages is two values.
func vykReport(n int64) []map[string]any {
	first, last := VYKPeriod(n)
	day, year := last, first+last // ids of contexts
	contexts := func(key string) any {
		instant := map[string]any{"id": day, "key": key, "Period": map[string]any{"instant": last}}
		if key == "" {
			return instant
		}
		return map[string]any{"id": year, "key": key, "Period": map[string]any{"startDate": first, "endDate": last}}
	}
	labelled := func(name, tr, en string, values any) map[string]any {
		return map[string]any{"name": name,
			"langs":  map[string]any{"lang": []any{map[string]any{"code": "tr", "value": tr}, map[string]any{"code": "en", "value": en}}},
			"Values": map[string]any{"Value": values}}
	}
	lira := func(context string, value int64) map[string]any {
		return map[string]any{"contextId": context, "currency": "TRY", "rounding": "-3", "value": fmt.Sprint(value)}
	}
	cash := labelled("ifrs-full_CashAndCashEquivalents", "Nakit ve Nakit Benzerleri", "Cash and Cash Equivalents", lira(day, n*1000))
	sales := labelled("ifrs-full_Revenue", "Hasılat", "Revenue", lira(year, -n))
	share := labelled("kap-fr_EarningsPerShare", "Pay Başına Kazanç", "Earnings Per Share",
		map[string]any{"contextId": year, "currency": "TRY", "rounding": "INF", "value": "0.1250"})
	income := []any{sales, share}
	if VYKRestated(n) {
		income = append(income, labelled("ifrs-full_GainsLossesOnNetMonetaryPosition", "Net Parasal Pozisyon Kazançları",
			"Gains on Net Monetary Position", lira(year, 7)))
	}
	text := func(value, member string) map[string]any {
		return map[string]any{"contextId": day, "value": value,
			"Measures": map[string]any{"Measure": map[string]any{"measureName": "kap_LanguageOptionAxis", "measureValueName": member}}}
	}
	block := func(id, multi string, context, items any) map[string]any {
		return map[string]any{"id": id, "content": map[string]any{"id": id, "isMultiDimensional": multi,
			"ContextList": map[string]any{"Context": context}, "ReportItem": items}}
	}
	balance := contexts("").(map[string]any)
	balance["key"] = "CURR"
	return []map[string]any{
		block("fr-210015_Statement-of-Financial-Position",
			"no", []any{balance}, map[string]any{"name": "kap-fr_Assets", "abstract": "true", "ReportItem": cash}),
		block("fr-310003_Profit-or-Loss", "no", contexts("CURR"), income),
		block("fr-520003_Cash-Flows", "no", contexts("CURR"),
			labelled("kap-fr_CashFlowsFromOperations", "Nakit Akışları", "Cash Flows", []any{lira(year, n+1)})),
		block("fr-100000_Notes", "yes", balance, labelled("kap_Explanation", "Açıklama", "Explanation",
			[]any{text("Açıklama", "kap_TurkishMember"), text("Note", "kap_EnglishMember")})),
	}
}
