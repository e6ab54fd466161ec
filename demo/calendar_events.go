package demo

import (
	"time"

	"piyasa/domain/macro"
	"piyasa/internal/value"
)

// event is an event of the calendar, with its times: exactly one of days, monthly and every is
// set.
type event struct {
	name       string // Turkish
	of         economy
	importance int
	days       []int         // from the Monday of this week
	monthly    bool          // comes with the price index
	every      time.Duration // repeated at this interval around now
	at         time.Duration // time of day, since midnight in Turkey
	figures    figures       // none: a speech, or minutes
}

// figures is the figures of an event.
type figures struct {
	unit    string // empty: points of an index
	level   string // start of the first occurrence, with all decimals; empty: none
	step    string // distance between figures, with the same decimals
	revised bool   // the previous figure may be revised
	months  int    // number of months over which producer prices rose, instead of level and step
}

func (f figures) none() bool { return f.level == "" && f.months == 0 }

// economy is the country and currency of an event.
type economy struct{ code, name, currency string }

var (
	turkey  = economy{"TR", "Türkiye", "TRY"}
	america = economy{"US", "Amerika Birleşik Devletleri", "USD"}
	euro    = economy{"EU", "Euro Bölgesi", "EUR"}
	germany = economy{"DE", "Almanya", "EUR"}
	britain = economy{"GB", "Birleşik Krallık", "GBP"}
	japan   = economy{"JP", "Japonya", "JPY"}
	china   = economy{"CN", "Çin", "CNY"}
)

// firstEvent is the number of the first event, and the others follow.
const firstEvent = 900_001

// eventTable lists the events by number. A new one goes to the end.
var eventTable = []event{
	{name: "Politika Faizi", of: turkey, importance: 3, days: []int{-11, 17}, at: clock(14, 0),
		figures: figures{unit: "%", level: "37.00", step: "0.50"}},
	{name: "Tüketici Fiyat Endeksi (Yıllık)", of: turkey, importance: 3, monthly: true,
		figures: figures{unit: "%", level: "31.40", step: "0.30"}},
	{name: "Yurt İçi Üretici Fiyat Endeksi (Aylık)", of: turkey, importance: 2, monthly: true, figures: figures{unit: "%", months: 1}},
	{name: "Yurt İçi Üretici Fiyat Endeksi (Yıllık)", of: turkey, importance: 2, monthly: true, figures: figures{unit: "%", months: 12}},
	{name: "Sanayi Üretimi (Yıllık)", of: turkey, importance: 2, days: []int{-7}, at: clock(10, 0),
		figures: figures{unit: "%", level: "2.4", step: "0.7"}},
	{name: "Cari İşlemler Dengesi", of: turkey, importance: 2, days: []int{9}, at: clock(10, 0),
		figures: figures{unit: "B", level: "-2.150", step: "0.460"}},
	{name: "Tüketici Güven Endeksi", of: turkey, importance: 1, days: []int{-10, 18}, at: clock(10, 0),
		figures: figures{level: "83.6", step: "0.8"}},
	{name: "Merkez Bankası Brüt Rezervleri", of: turkey, importance: 2, days: eachWeek(3), at: clock(14, 30),
		figures: figures{unit: "B", level: "163.40", step: "1.15", revised: true}},
	{name: "Merkez Bankası Başkanının Konuşması", of: turkey, importance: 3, days: []int{-4, 8}, at: clock(11, 0)},
	{name: "Tarım Dışı İstihdam", of: america, importance: 3, days: []int{-10, 18}, at: clock(15, 30),
		figures: figures{unit: "K", level: "142", step: "24", revised: true}},
	{name: "Haftalık İşsizlik Başvuruları", of: america, importance: 2, days: eachWeek(3), at: clock(15, 30),
		figures: figures{unit: "K", level: "221", step: "4", revised: true}},
	{name: "Ham Petrol Stokları", of: america, importance: 2, days: eachWeek(2), at: clock(17, 30),
		figures: figures{unit: "M", level: "-1.250", step: "0.850"}},
	{name: "Faiz Kararı", of: america, importance: 3, days: []int{9}, at: clock(21, 0),
		figures: figures{unit: "%", level: "4.50", step: "0.25"}},
	{name: "Açık Piyasa Komitesi Tutanakları", of: america, importance: 2, days: []int{-5}, at: clock(21, 0)},
	{name: "Tüketici Fiyat Endeksi (Aylık)", of: america, importance: 3, days: []int{-6}, at: clock(15, 30),
		figures: figures{unit: "%", level: "0.30", step: "0.10"}},
	{name: "Tüketici Güveni", of: america, importance: 2, days: []int{4, 18}, at: clock(17, 0),
		figures: figures{level: "70.4", step: "1.6", revised: true}},
	{name: "3 Aylık Bono İhalesi", of: america, importance: 1, days: eachWeek(0), at: clock(18, 30),
		figures: figures{unit: "%", level: "4.285", step: "0.025"}},
	{name: "Faiz Kararı", of: euro, importance: 3, days: []int{10}, at: clock(15, 15),
		figures: figures{unit: "%", level: "2.50", step: "0.25"}},
	{name: "Merkez Bankası Başkanının Konuşması", of: euro, importance: 2, days: []int{2, 10}, at: clock(16, 0)},
	{name: "Ekonomik Güven Endeksi", of: germany, importance: 2, days: []int{-13, 15}, at: clock(13, 0),
		figures: figures{level: "14.2", step: "3.1"}},
	{name: "Sanayi Üretimi (Aylık)", of: germany, importance: 2, days: []int{-3}, at: clock(10, 0),
		figures: figures{unit: "%", level: "-0.40", step: "0.30", revised: true}},
	{name: "Faiz Kararı", of: britain, importance: 3, days: []int{3}, at: clock(15, 0),
		figures: figures{unit: "%", level: "4.25", step: "0.25"}},
	{name: "Tüketici Fiyat Endeksi (Yıllık)", of: britain, importance: 2, days: []int{2}, at: clock(10, 0),
		figures: figures{unit: "%", level: "3.10", step: "0.10"}},
	{name: "Tüketici Fiyat Endeksi (Yıllık)", of: japan, importance: 2, days: []int{4}, at: clock(2, 30),
		figures: figures{unit: "%", level: "2.80", step: "0.20"}},
	{name: "İmalat Satın Alma Yöneticileri Endeksi", of: china, importance: 2, days: []int{-14, 14}, at: clock(4, 30),
		figures: figures{level: "50.2", step: "0.3"}},
	{name: "Piyasa Nabzı Anketi", of: turkey, importance: 1, every: 30 * time.Minute, figures: figures{level: "52.50", step: "0.45"}},
}

// clock returns the time from midnight to an hour of the day.
func clock(hour, minute int) time.Duration {
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute
}

// eachWeek returns the same weekday of the last two weeks, this week and the next two.
func eachWeek(day int) []int { return []int{day - 14, day - 7, day, day + 7, day + 14} }

// definition returns the event in the form of the calendar.
func (e event) definition(id int) *macro.CalendarEvent {
	return &macro.CalendarEvent{
		EventID: id, Name: e.name, Country: macro.Country{Name: e.of.name, Code: e.of.code}, Currency: e.of.currency,
		Importance: e.importance, IsSpeaking: e.figures.none(),
	}
}

// times returns the times of the event, in order.
func (e event) times(now value.Instant) []value.Instant {
	var all []value.Instant
	switch {
	case e.monthly:
		newest := newestPriceIndex(now)
		return []value.Instant{priceIndexPublished(newest), priceIndexPublished(newest + 1)}
	case e.every > 0:
		last := value.At(now.Time().Truncate(e.every))
		for n := range 4 {
			all = append(all, last.Add(time.Duration(n)*e.every))
		}
		return all
	}
	today := value.TurkeyDay(now)
	monday := today.AddDays(-(int(today.Weekday()) + 6) % 7)
	for _, day := range e.days {
		all = append(all, monday.AddDays(day).TurkeyStart().Add(e.at))
	}
	return all
}
