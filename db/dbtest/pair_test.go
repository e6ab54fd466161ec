package dbtest

import "testing"

func TestPair(t *testing.T) {
	p := StartPair(t, true)
	p.Primary.Do("CREATE TABLE known (n int)")
	p.Standby.Wait("SELECT to_regclass('known') IS NOT NULL")
	p.Standby.Wait("SELECT pg_is_in_recovery()")
	p.Primary.Stop()
	p.Primary.Start()
	p.Standby.Wait("SELECT EXISTS (SELECT 1 FROM pg_stat_wal_receiver)")
	p.Primary.Kill()
	p.Standby.Promote()
	p.Standby.Do("INSERT INTO known VALUES (1)")
}
