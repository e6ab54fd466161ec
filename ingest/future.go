package ingest

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"piyasa/internal/value"
)

// A time of observation, publication or measurement lies before now. A time after the horizon
// is a mistake of its source, and a costly one: all correct records that follow would be older,
// and stale.

// horizonOf returns the moment after which no such time can be valid.
func horizonOf(now value.Clock) value.Instant {
	return value.At(now().Add(value.Horizon).Time().Truncate(time.Second))
}

var (
	instantType = reflect.TypeFor[value.Instant]()
	dateType    = reflect.TypeFor[value.Date]()
	monthType   = reflect.TypeFor[value.Month]()
)

func isTime(t reflect.Type) bool { return t == instantType || t == dateType || t == monthType }

// isTimed reports whether a field is a time of the past, or contains one.
func isTimed(t reflect.Type, tag reflect.StructTag) bool {
	switch {
	case isTime(t):
		return tag.Get("time") == "past"
	case t == decimalType || t == numberType || reflect.PointerTo(t).Implements(textType):
		return false
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice:
		return isTimed(t.Elem(), tag)
	case t.Kind() == reflect.Struct:
		return len(shapeOf(t).timed) > 0
	}
	return false
}

// future rejects a record v of the shape with past times after the horizon, except in the
// members but.
func (s *shape) future(v reflect.Value, path string, horizon value.Instant, but ...string) *value.Invalid {
	for _, i := range s.timed {
		f := &s.fields[i]
		if slices.Contains(but, f.name) {
			continue
		}
		if wrong := futureIn(v.FieldByIndex(f.index), path+f.name, horizon); wrong != nil {
			return wrong
		}
	}
	return nil
}

func futureIn(v reflect.Value, path string, horizon value.Instant) *value.Invalid {
	var stated, latest fmt.Stringer
	ahead := false
	switch t := v.Addr().Interface().(type) {
	case *value.Instant:
		stated, latest, ahead = t, horizon, t.After(horizon)
	case *value.Date:
		day := value.NewDate(horizon.Time().Date())
		stated, latest, ahead = t, day, day.Before(*t)
	case *value.Month:
		month := value.MustMonth(horizon.Time().Format("2006-01"))
		stated, latest, ahead = t, month, month.Before(*t)
	default:
		return futureWithin(v, path, horizon)
	}
	if ahead {
		return value.Invalidf(path, "must not be after %s, a day ahead of the clock; got %s", latest, stated)
	}
	return nil
}

// futureWithin is like futureIn, for values that contain times.
func futureWithin(v reflect.Value, path string, horizon value.Instant) *value.Invalid {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return futureIn(v.Elem(), path, horizon)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if wrong := futureIn(v.Index(i), fmt.Sprintf("%s[%d]", path, i), horizon); wrong != nil {
				return wrong
			}
		}
	case reflect.Struct:
		return shapeOf(v.Type()).future(v, path+".", horizon)
	}
	return nil
}
