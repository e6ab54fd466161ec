package macro

import (
	"context"
	"strconv"

	"piyasa/account/access"
)

// IsNode implements value.Node.
func (*CalendarEvent) IsNode() {}

// GlobalID returns the id of the event among all objects.
func (e *CalendarEvent) GlobalID() string { return "event:" + strconv.Itoa(e.EventID) }

// EventByID returns the definition of an event, or nil. Needs calendar:read; costs one unit.
func (s *Service) EventByID(ctx context.Context, id int) (*CalendarEvent, error) {
	if err := access.Enter(ctx, access.CalendarRead); err != nil {
		return nil, err
	}
	e := s.Live.Events().byID[id]
	if e != nil {
		access.Charge(ctx, access.Unit)
	}
	return e, nil
}
