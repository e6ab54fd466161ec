package command

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	answers "piyasa/answer"
)

// logging is how every command logs.
type logging struct {
	Format string `name:"log-format" help:"Format of the log: text or json." env:"PIYASA_LOG_FORMAT" default:"text" values:"text,json" placeholder:"FORMAT"`
	Level  string `name:"log-level" help:"Least severe level that is logged: debug, info, warn or error." env:"PIYASA_LOG_LEVEL" default:"info" values:"debug,info,warn,error" placeholder:"LEVEL"`
}

var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}

// logTo lets the process log to out. The error says which values are wrong, and what is
// allowed.
func (l logging) logTo(out io.Writer) error {
	var wrong []error
	level, ok := levels[l.Level]
	if !ok {
		wrong = append(wrong, fmt.Errorf("PIYASA_LOG_LEVEL: must be debug, info, warn or error; got %q", l.Level))
	}
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler
	switch l.Format {
	case "text":
		handler = slog.NewTextHandler(out, options)
	case "json":
		handler = slog.NewJSONHandler(out, options)
	default:
		wrong = append(wrong, fmt.Errorf("PIYASA_LOG_FORMAT: must be text or json; got %q", l.Format))
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	slog.SetDefault(slog.New(answers.Logged(handler)))
	return nil
}
