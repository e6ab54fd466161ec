package command

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"piyasa/account/usage"
	"piyasa/internal/value"
)

type usageCommand struct {
	database
	Month  string `help:"Month in UTC; default: this one." placeholder:"YYYY-MM"`
	Key    string `help:"Id of one key; default: all." placeholder:"ID"`
	By     string `help:"Which sums: of each key, of each key and operation, or of each key, day and operation." enum:"key,operation,day" default:"key"`
	Format string `help:"How to print them: table, csv or json." enum:"table,csv,json" default:"table"`
}

// Run prints the request units that keys have used in a month.
func (c *usageCommand) Run(ctx context.Context, s streams) error {
	month := value.DayIn(value.SystemClock(), time.UTC).Month()
	if c.Month != "" {
		var err error
		if month, err = value.ParseMonth(c.Month); err != nil {
			return usageError{fmt.Errorf("--month %w; got %q", err, c.Month)}
		}
	}
	store, err := c.openToRead(ctx, s)
	if err != nil {
		return err
	}
	defer store.Close()
	first := month.First()
	rows, err := store.Usage(ctx, c.Key, first, first.AddMonths(1).AddDays(-1))
	if err != nil {
		return fmt.Errorf("read what keys have used: %w", err)
	}
	return c.print(s, month, usage.SumBy(rows, func(r usage.Row) usage.Row {
		if c.By != "day" {
			r.Day = value.Date{}
		}
		if c.By == "key" {
			r.Operation = ""
		}
		return r
	}))
}

// usageLine is a printed sum. Members by which it is not grouped are left out.
type usageLine struct {
	Month     value.Month `json:"month"`
	Key       string      `json:"key"`
	Day       value.Date  `json:"day,omitzero"`
	Operation string      `json:"operation,omitempty"`
	Units     int64       `json:"units"`
}

func (c *usageCommand) print(s streams, month value.Month, sums []usage.Row) error {
	lines := make([]usageLine, len(sums))
	for i, r := range sums {
		lines[i] = usageLine{month, r.KeyID, r.Day, r.Operation, r.Units}
	}
	if c.Format == "json" {
		return json.NewEncoder(s.out).Encode(lines)
	}
	names := []string{"month", "key"}
	switch c.By {
	case "operation":
		names = append(names, "operation")
	case "day":
		names = append(names, "day", "operation")
	}
	table := [][]string{append(names, "units")}
	for _, l := range lines {
		row := []string{l.Month.String(), l.Key}
		if c.By == "day" {
			row = append(row, l.Day.String())
		}
		if c.By != "key" {
			row = append(row, l.Operation)
		}
		table = append(table, append(row, strconv.FormatInt(l.Units, 10)))
	}
	if c.Format == "csv" {
		return csv.NewWriter(s.out).WriteAll(table)
	}
	t := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, row := range table {
		for _, cell := range row {
			fmt.Fprint(t, cell, "\t")
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
