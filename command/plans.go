package command

import (
	"os"

	"piyasa/account/access"
)

// readPlans returns the built-in plans with those of a file; an empty path means none.
func readPlans(path string) (access.Plans, error) {
	if path == "" {
		return access.ShippedPlans(), nil
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return access.ShippedPlans().With(file)
}

// plansIn follows the plans in a file. path may change.
func plansIn(path func() string, set func(access.Plans)) followed[access.Plans] {
	return followed[access.Plans]{what: "plans", place: path(), set: set, read: func() (string, func() (access.Plans, error), error) {
		if path() == "" {
			return "", func() (access.Plans, error) { return access.ShippedPlans(), nil }, nil
		}
		file, err := os.ReadFile(path())
		return string(file), func() (access.Plans, error) { return access.ShippedPlans().With(file) }, err
	}}
}
