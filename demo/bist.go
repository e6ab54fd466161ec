package demo

import (
	"cmp"
	"slices"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

const istanbul = "Europe/Istanbul"

var bistHours = hours(istanbul, "10:00", "18:00")

// hours returns a session with these opening and closing times.
func hours(zone string, opens, closes market.ClockTime) *market.Session {
	return &market.Session{Timezone: zone, Open: &opens, Close: &closes}
}

// stock is a company of the Istanbul exchange.
type stock struct {
	symbol, name string
	price        string
	lots         int64 // of an ordinary day
	auction      bool  // trades at one price a day
}

// sector is a group of companies. The one without a code holds companies without a sector.
type sector struct {
	code, name, english string
	stocks              []stock
}

var sectorTable = []sector{
	{"otomotiv", "Otomotiv", "Automotive", []stock{
		{"DMOST", "Demo Otomotiv Sanayi", "300.00", 4_050_000, false},
		{"DMTRK", "Demo Traktör", "512.50", 1_120_000, false},
		{"DMLAS", "Demo Lastik", "87.45", 6_300_000, false},
		{"DMYED", "Demo Yedek Parça", "41.32", 2_480_000, false},
		{"DMAKU", "Demo Akü", "18.76", 890_000, false},
	}},
	{"bankacilik", "Bankacılık", "Banking", []stock{
		{"DMBNK", "Demo Bankası", "64.20", 92_000_000, false},
		{"DMKAB", "Demo Katılım Bankası", "23.48", 61_500_000, false},
		{"DMTIC", "Demo Ticaret Bankası", "36.90", 48_700_000, false},
		{"DMYAT", "Demo Yatırım Bankası", "12.05", 7_900_000, false},
		{"DMKAL", "Demo Kalkınma Bankası", "9.87", 5_400_000, false},
	}},
	{"sigorta", "Sigorta", "Insurance", []stock{
		{"DMSIG", "Demo Sigorta", "128.40", 1_950_000, false},
		{"DMHAY", "Demo Hayat ve Emeklilik", "71.65", 2_700_000, false},
		{"DMGUV", "Demo Güvence Sigorta", "33.08", 1_260_000, false},
		{"DMREA", "Demo Reasürans", "15.33", 980_000, false},
		{"DMSAG", "Demo Sağlık Sigortası", "247.60", 310_000, false},
	}},
	{"teknoloji", "Teknoloji", "Technology", []stock{
		{"DMYZL", "Demo Yazılım", "196.30", 3_340_000, false},
		{"DMTEK", "Demo Teknoloji", "74.15", 5_150_000, false},
		{"DMBUL", "Demo Bulut Bilişim", "355.25", 870_000, false},
		{"DMIST", "Demo İstasyon Elektronik", "58.90", 1_640_000, false},
		{"DMCIP", "Demo Çip Tasarım", "1284.00", 205_000, false},
	}},
	{"enerji", "Enerji", "Energy", []stock{
		{"DMPET", "Demo Petrol", "178.90", 11_800_000, false},
		{"DMISK", "Demo Işık Enerji", "27.44", 9_250_000, false},
		{"DMRZG", "Demo Rüzgâr Enerjisi", "45.86", 4_420_000, false},
		{"DMGNS", "Demo Güneş Elektrik", "13.91", 14_600_000, false},
		{"DMHID", "Demo Hidroelektrik", "8.42", 3_750_000, false},
	}},
	{"gida-ve-icecek", "Gıda ve İçecek", "Food and Beverages", []stock{
		{"DMCAY", "Demo Çay", "92.35", 2_060_000, false},
		{"DMFND", "Demo Fındık", "54.60", 3_180_000, false},
		{"DMSUT", "Demo Süt Ürünleri", "31.26", 4_900_000, false},
		{"DMZEY", "Demo Zeytinyağı", "118.70", 720_000, false},
		{"DMSKR", "Demo Şekerleme", "22.14", 1_830_000, false},
	}},
	{"tekstil", "Tekstil", "Textiles", []stock{
		{"DMIPL", "Demo İplik", "16.48", 2_240_000, false},
		{"DMKMS", "Demo Kumaş", "7.93", 3_060_000, false},
		{"DMHAL", "Demo Halı", "39.74", 640_000, false},
		{"DMKET", "Demo Keten Giyim", "66.25", 510_000, false},
		{"DMDOK", "Demo Dokuma", "4.61", 95_000, true},
	}},
	{"kimya", "Kimya", "Chemicals", []stock{
		{"DMGUB", "Demo Gübre", "142.80", 5_650_000, false},
		{"DMBOY", "Demo Boya", "83.70", 1_410_000, false},
		{"DMILC", "Demo İlaç", "268.75", 930_000, false},
		{"DMPLS", "Demo Plastik", "11.57", 6_780_000, false},
		{"DMSBN", "Demo Sabun", "29.98", 1_150_000, false},
	}},
	{"demir-celik", "Demir Çelik", "Iron and Steel", []stock{
		{"DMCEL", "Demo Çelik", "48.36", 38_900_000, false},
		{"DMDMR", "Demo Demir", "24.72", 21_300_000, false},
		{"DMALU", "Demo Alüminyum", "137.10", 1_020_000, false},
		{"DMBAK", "Demo Bakır", "95.85", 1_390_000, false},
		{"DMDKM", "Demo Döküm", "6.18", 120_000, true},
	}},
	{"insaat-ve-cimento", "İnşaat ve Çimento", "Construction and Cement", []stock{
		{"DMCIM", "Demo Çimento", "31.90", 3_520_000, false},
		{"DMCAM", "Demo Cam", "51.20", 17_400_000, false},
		{"DMSRM", "Demo Seramik", "43.64", 1_270_000, false},
		{"DMINS", "Demo İnşaat", "14.27", 8_850_000, false},
		{"DMYAP", "Demo Yapı Malzemeleri", "19.05", 960_000, false},
	}},
	{"ulastirma", "Ulaştırma", "Transport", []stock{
		{"DMHVY", "Demo Hava Yolları", "314.50", 29_600_000, false},
		{"DMLIM", "Demo Liman", "161.20", 1_740_000, false},
		{"DMDNZ", "Demo Deniz Taşımacılığı", "77.55", 980_000, false},
		{"DMKRG", "Demo Kargo", "68.40", 1_530_000, false},
		{"DMRAY", "Demo Raylı Sistemler", "5.36", 12_100_000, false},
	}},
	{"perakende", "Perakende", "Retail", []stock{
		{"DMMRK", "Demo Market", "486.25", 2_890_000, false},
		{"DMCRS", "Demo Çarşı Mağazaları", "2612.50", 64_000, false},
		{"DMMOB", "Demo Mobilya", "21.84", 2_310_000, false},
		{"DMAYK", "Demo Ayakkabı", "37.12", 590_000, false},
		{"DMKTP", "Demo Kitap ve Kırtasiye", "10.66", 430_000, false},
	}},
	{stocks: []stock{
		{"DMHLD", "Demo Holding", "105.40", 13_700_000, false},
	}},
}

// turnover returns the money traded on an ordinary day, in kuruş.
func (s stock) turnover() int64 {
	price, _ := units(s.price)
	return price * s.lots
}

// shares returns the number of shares, one for each lira of paid-in capital.
func (s stock) shares(capital map[string]int64) int64 {
	if known := capital[s.symbol]; known > 0 {
		return known
	}
	return s.lots * 80
}

// segment returns the segment of a stock with that turnover.
func (s stock) segment() string {
	switch turnover := s.turnover(); {
	case turnover >= 250_000_000_00:
		return "Yıldız Pazar"
	case turnover >= 10_000_000_00:
		return "Ana Pazar"
	}
	return "Alt Pazar"
}

// bistInstrument returns the common members of stocks and ETFs.
func bistInstrument(symbol, name string, kind market.AssetType) market.Instrument {
	return market.Instrument{
		InstrumentID: market.BistID(symbol), Symbol: symbol, Name: name, Market: market.BIST, AssetType: kind,
		Currency: string(market.TRY), Source: new(source), Session: bistHours, Delay: delaySeconds(),
		CoverageFrom: value.NewDate(2024, 1, 1),
	}
}

// delaySeconds returns the publication delay for the catalog, in seconds.
func delaySeconds() *int { return new(int(delayed.Seconds())) }

func stocks(bist timetable) []listing {
	var all []listing
	capital := map[string]int64{}
	for _, c := range companies() {
		capital[c.code] = c.capital
	}
	for _, group := range sectorTable {
		for _, row := range group.stocks {
			in := bistInstrument(row.symbol, row.name, market.Stock)
			in.Segment = new(row.segment())
			if group.code != "" {
				in.Sector, in.SectorCode = new(group.name), new(group.code)
			}
			times := bist
			if row.auction {
				in.PriceMechanism = new("auction")
				times = bist.fixing()
			}
			all = append(all, listing{Instrument: in, times: times, price: row.price, size: row.lots, shares: row.shares(capital)})
		}
	}
	return all
}

func etfs(bist timetable) []listing {
	var all []listing
	for _, row := range []struct {
		symbol, fund, name, category, follows string
		participation                         bool
		price                                 string
		lots                                  int64
	}{
		{"DMALTF", "DMA", "Demo Altın Borsa Yatırım Fonu", "Altın", "Altın gram fiyatı", false, "58.40", 3_900_000},
		{"DMGMSF", "DMG", "Demo Gümüş Borsa Yatırım Fonu", "Gümüş", "Gümüş gram fiyatı", false, "24.16", 2_200_000},
		{"DMX30F", "DMU", "Demo 30 Hisse Senedi Borsa Yatırım Fonu", "Hisse", "XD030", false, "41.78", 1_400_000},
		{"DMKTLF", "DMK", "Demo Katılım Borsa Yatırım Fonu", "Hisse", "Demo Katılım", true, "19.63", 850_000},
		{"DMTHVF", "DMT", "Demo Tahvil Borsa Yatırım Fonu", "Borçlanma araçları", "Demo Tahvil", false, "102.30", 310_000},
	} {
		in := bistInstrument(row.symbol, row.name, market.ETF)
		in.FundCode, in.Founder, in.Category = new(row.fund), new(founder), new(row.category)
		in.UnderlyingIndex, in.IsParticipation = new(row.follows), new(row.participation)
		all = append(all, listing{Instrument: in, times: bist, price: row.price, size: row.lots})
	}
	return all
}

// sectors returns the groups with all their members, and a retired one.
func sectors() []*market.Sector {
	all := []*market.Sector{{Code: "oto-yan-sanayi", Name: "Oto Yan Sanayi", Members: []market.ID{}, Successors: []string{"otomotiv"}}}
	for _, group := range sectorTable {
		if group.code == "" {
			continue
		}
		s := &market.Sector{Code: group.code, Name: group.name, NameEn: new(group.english), Members: []market.ID{}}
		for _, row := range group.stocks {
			s.Members = append(s.Members, market.BistID(row.symbol))
		}
		for _, row := range usTable {
			if row.sector == group.code {
				s.Members = append(s.Members, usID(row.symbol))
			}
		}
		all = append(all, s)
	}
	return all
}

// indices returns the indices of the Istanbul exchange: the most traded stocks, all stocks, and
// a sector index that is not verified yet.
func indices(synced value.Instant) []*market.BistIndex {
	type ranked struct {
		stock
		member market.IndexMember
		sector string
	}
	var all []ranked
	for _, group := range sectorTable {
		for _, row := range group.stocks {
			member := market.IndexMember{Symbol: row.symbol}
			if group.code != "" {
				member.Sector = new(group.english)
			}
			all = append(all, ranked{row, member, group.code})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int { return cmp.Compare(b.turnover(), a.turnover()) })
	index := func(code, name string, verified bool, takes func(place int, r ranked) bool) *market.BistIndex {
		x := &market.BistIndex{Code: code, Name: name, Verified: verified, SyncedAt: synced, Members: []market.IndexMember{}}
		for place, r := range all {
			if takes(place, r) {
				x.Members = append(x.Members, r.member)
			}
		}
		return x
	}
	return []*market.BistIndex{
		index("XD030", "Demo 30", true, func(place int, _ ranked) bool { return place < 30 }),
		index("XDTUM", "Demo Tüm", true, func(int, ranked) bool { return true }),
		index("XDTEK", "Demo Teknoloji", false, func(_ int, r ranked) bool { return r.sector == "teknoloji" }),
	}
}
