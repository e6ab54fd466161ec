package demo

import (
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// historyStart is where the history of pairs, indices and commodities begins.
var historyStart = value.NewDate(2020, 1, 1)

// liraPerDollar is also the rate of statements in dollars.
const liraPerDollar = "41.2500"

// pairs returns currency pairs, priced in their second currency, with Turkish days.
func pairs() []listing {
	var all []listing
	for _, row := range []struct{ from, to, price string }{
		{"USD", "TRY", liraPerDollar},
		{"EUR", "TRY", "44.8181"},
		{"GBP", "TRY", "52.3875"},
		{"CHF", "TRY", "47.1429"},
		{"EUR", "USD", "1.08650"},
		{"GBP", "USD", "1.27000"},
		{"EUR", "GBP", "0.85551"},
		{"AUD", "USD", "0.65840"},
		{"USD", "JPY", "151.240"},
		{"USD", "CHF", "0.87500"},
		{"USD", "CAD", "1.38260"},
		{"USD", "MYR", "4.4000"},
	} {
		symbol := row.from + row.to
		all = append(all, listing{
			Instrument: market.Instrument{
				InstrumentID: market.ID(string(market.FX) + ":" + symbol), Symbol: symbol, Name: row.from + "/" + row.to,
				Market: market.FX, AssetType: market.Pair, Currency: row.to, Source: new(source),
				Session: aroundTheClock(istanbul), Delay: delaySeconds(), CoverageFrom: historyStart,
			},
			times: always(istanbul), price: row.price,
		})
	}
	return all
}

var newYorkHours = hours("America/New_York", "09:30", "16:00")

func worldIndices() []listing {
	var all []listing
	for _, row := range []struct {
		symbol, name, region, currency, price string
		session                               *market.Session
	}{
		{"DMUS500", "Demo Amerika 500", "US", "USD", "5120.40", newYorkHours},
		{"DMUSTEK", "Demo Amerika Teknoloji", "US", "USD", "17934.65", newYorkHours},
		{"DMDE40", "Demo Almanya 40", "DE", "EUR", "18205.90", hours("Europe/Berlin", "09:00", "17:30")},
		{"DMFR40", "Demo Fransa 40", "FR", "EUR", "7988.15", hours("Europe/Paris", "09:00", "17:30")},
		{"DMGB100", "Demo Britanya 100", "GB", "GBP", "8214.75", hours("Europe/London", "08:00", "16:30")},
		{"DMJP225", "Demo Japonya 225", "JP", "JPY", "38640.20", hours("Asia/Tokyo", "09:00", "15:30")},
		{"DMHK50", "Demo Hong Kong 50", "HK", "HKD", "17320.55", hours("Asia/Hong_Kong", "09:30", "16:00")},
		{"DMAU200", "Demo Avustralya 200", "AU", "AUD", "7815.30", hours("Australia/Sydney", "10:00", "16:00")},
	} {
		all = append(all, listing{
			Instrument: market.Instrument{
				InstrumentID: market.ID(string(market.Index) + ":" + row.symbol), Symbol: row.symbol, Name: row.name,
				Market: market.Index, AssetType: market.WorldIndex, Currency: row.currency, Source: new(source),
				Session: row.session, Delay: delaySeconds(), CoverageFrom: historyStart, Region: new(row.region),
			},
			times: weekly(row.session), price: row.price,
		})
	}
	return all
}

func commodities() []listing {
	const precious, industrial, energy, farming = "Değerli metaller", "Sanayi metalleri", "Enerji", "Tarım"
	var all []listing
	for _, row := range []struct{ symbol, name, category, currency, unit, price string }{
		{"XAU", "Demo Altın", precious, "USD", "ons", "2158.40"},
		{"XAG", "Demo Gümüş", precious, "USD", "ons", "25.137"},
		{"XPT", "Demo Platin", precious, "USD", "ons", "918.60"},
		{"COPPER", "Demo Bakır", industrial, "USD", "libre", "4.0825"},
		{"BRENT", "Demo Brent Petrol", energy, "USD", "varil", "84.62"},
		{"NATGAS", "Demo Doğal Gaz", energy, "USD", "milyon BTU", "1.743"},
		{"WHEAT", "Demo Buğday", farming, "EUR", "ton", "204.25"},
		{"COFFEE", "Demo Kahve", farming, "USD", "libre", "1.8535"},
		{"PALM", "Demo Palm Yağı", farming, "MYR", "ton", "4118.00"},
		{"LITHIUM", "Demo Lityum", industrial, "USD", "ton", ""},
	} {
		all = append(all, listing{
			Instrument: market.Instrument{
				InstrumentID: market.ID(string(market.Cmdty) + ":" + row.symbol), Symbol: row.symbol, Name: row.name,
				Market: market.Cmdty, AssetType: market.Commodity, Currency: row.currency, Source: new(source),
				Session: aroundTheClock("UTC"), Delay: delaySeconds(), CoverageFrom: historyStart,
				Category: new(row.category), Unit: new(row.unit),
			},
			times: always("UTC"), price: row.price,
		})
	}
	return all
}

func usID(symbol string) market.ID { return market.ID(string(market.US) + ":" + symbol) }

// usTable has the industry in US terms, and the sector that all markets share.
var usTable = []struct {
	symbol, name, industry, code, sector, price string
	traded                                      int64 // shares of an ordinary day
}{
	{"DMAP", "Demo Appliances Inc.", "Household Appliances", "3630", "", "54.18", 2_300_000},
	{"DMAV", "Demo Airways Corp.", "Air Transportation, Scheduled", "4512", "ulastirma", "38.72", 9_800_000},
	{"DMCB", "Demo Community Bank", "State Commercial Banks", "6022", "bankacilik", "27.45", 3_100_000},
	{"DMCH", "Demo Chips Inc.", "Semiconductors & Related Devices", "3674", "teknoloji", "412.60", 21_000_000},
	{"DMMT", "Demo Motors Inc.", "Motor Vehicles & Passenger Car Bodies", "3711", "otomotiv", "96.33", 14_500_000},
	{"DMST", "Demo Stores Inc.", "Retail-Variety Stores", "5331", "perakende", "143.07", 5_600_000},
	{"DMSW", "Demo Software Corp.", "Services-Prepackaged Software", "7372", "teknoloji", "287.91", 11_200_000},
	{"DMX", "Demo Exchange Corp.", "Security & Commodity Brokers", "6200", "", "71.24", 1_900_000},
}

func usStocks() []listing {
	var all []listing
	for _, row := range usTable {
		all = append(all, listing{
			Instrument: market.Instrument{
				InstrumentID: usID(row.symbol), Symbol: row.symbol, Name: row.name, Market: market.US, AssetType: market.Stock,
				Currency: string(market.USD), Source: new(source), Session: newYorkHours, Delay: delaySeconds(),
				Sector: new(row.industry), SectorCode: new(row.code),
			},
			times: weekly(newYorkHours), price: row.price, size: row.traded, shares: row.traded * 150,
		})
	}
	return all
}

// founder is the founder of every fund.
const founder = "Demo Portföy"

// fundUnits have one price a day. A fund's code may equal that of a US stock.
func fundUnits(bist timetable) []listing {
	var all []listing
	for _, row := range []struct{ code, name, category, price string }{
		{"DMB", "Demo Borçlanma Araçları Fonu", "Borçlanma araçları", "3.184270"},
		{"DMD", "Demo Değişken Fon", "Değişken", "12.907533"},
		{"DMF", "Demo Hisse Senedi Fonu", "Hisse", "8.416092"},
		{"DMP", "Demo Para Piyasası Fonu", "Para piyasası", "1.730518"},
		{"DMS", "Demo Sürdürülebilirlik Fonu", "Hisse", "2.064871"},
		{"DMX", "Demo Karma Fon", "Karma", "5.552340"},
	} {
		all = append(all, listing{
			Instrument: market.Instrument{
				InstrumentID: market.ID(string(market.Fund) + ":" + row.code), Symbol: row.code, Name: row.name,
				Market: market.Fund, AssetType: market.FundUnit, Currency: string(market.TRY), Source: new(source),
				Delay: delaySeconds(), Founder: new(founder), Category: new(row.category),
			},
			times: bist.fixing(), price: row.price,
		})
	}
	return all
}
