package command

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	answers "piyasa/serve/answer"
)

// logging is the log settings of every command.
type logging struct {
	Format string `name:"log-format" help:"Format of the log: text or json." env:"PIYASA_LOG_FORMAT" default:"text" values:"text,json" placeholder:"FORMAT"`
	Level  string `name:"log-level" help:"Least severe level that is logged: debug, info, warn or error." env:"PIYASA_LOG_LEVEL" default:"info" values:"debug,info,warn,error" placeholder:"LEVEL"`
}

var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}

// leastLevel is the least severe level that this process logs.
var leastLevel slog.LevelVar

// follow changes the level of a process that is already logging.
func (l logging) follow() error {
	level, ok := levels[l.Level]
	if !ok {
		return fmt.Errorf("PIYASA_LOG_LEVEL: must be debug, info, warn or error; got %q", l.Level)
	}
	leastLevel.Set(level)
	return nil
}

// logTo directs the log of the process to out. The error names the invalid values, and what is
// allowed.
func (l logging) logTo(out io.Writer) error {
	var wrong []error
	wrong = append(wrong, l.follow())
	options := &slog.HandlerOptions{Level: &leastLevel}
	var handler slog.Handler
	switch l.Format {
	case "text":
		handler = slog.NewTextHandler(out, options)
	case "json":
		handler = slog.NewJSONHandler(out, options)
	default:
		wrong = append(wrong, fmt.Errorf("PIYASA_LOG_FORMAT: must be text or json; got %q", l.Format))
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	slog.SetDefault(slog.New(answers.Logged(handler)))
	return nil
}
