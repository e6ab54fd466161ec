package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
)

// ExecContext implements driver.ExecerContext.
func (c *sqliteConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	r := c.watch.begin(ctx, text)
	res, err := c.sqliteDriverConn.ExecContext(r, text, args)
	r.end(err)
	return res, err
}

// QueryContext implements driver.QueryerContext.
func (c *sqliteConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	r := c.watch.begin(ctx, text)
	rows, err := c.sqliteDriverConn.QueryContext(r, text, args)
	return r.rows(rows, err)
}

// BeginTx implements driver.ConnBeginTx. A transaction that writes may wait here for others.
func (c *sqliteConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	r := c.watch.begin(ctx, "BEGIN")
	tx, err := c.sqliteDriverConn.BeginTx(ctx, options) // the context may outlive the statement
	r.end(err)
	if err != nil {
		return nil, err
	}
	return sqliteTx{tx, c.watch, ctx}, nil
}

// sqliteTx is a transaction whose commit counts as a statement.
type sqliteTx struct {
	driver.Tx
	watch *statementWatch
	ctx   context.Context // of the transaction
}

// Commit implements driver.Tx.
func (t sqliteTx) Commit() error {
	r := t.watch.begin(t.ctx, "COMMIT")
	err := t.Tx.Commit()
	r.end(err)
	return err
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *sqliteConn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	s, err := c.sqliteDriverConn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	return &sqliteStatement{s.(sqliteDriverStatement), c.watch, text}, nil
}

// sqliteDriverStatement is the methods of a prepared statement of the driver.
type sqliteDriverStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// sqliteStatement is a prepared statement.
type sqliteStatement struct {
	sqliteDriverStatement
	watch *statementWatch
	text  string
}

// ExecContext implements driver.StmtExecContext.
func (s *sqliteStatement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	r := s.watch.begin(ctx, s.text)
	res, err := s.sqliteDriverStatement.ExecContext(r, args)
	r.end(err)
	return res, err
}

// QueryContext implements driver.StmtQueryContext.
func (s *sqliteStatement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	r := s.watch.begin(ctx, s.text)
	rows, err := s.sqliteDriverStatement.QueryContext(r, args)
	return r.rows(rows, err)
}

// sqliteDriverRows is the methods of the driver's rows.
type sqliteDriverRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeLength
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
	driver.RowsColumnTypeScanType
}

// sqliteRows are rows that end their statement when they are closed.
type sqliteRows struct {
	sqliteDriverRows
	of  *running
	err error
}

// rows returns the rows of a statement, which ends when they are closed.
func (r *running) rows(rows driver.Rows, err error) (driver.Rows, error) {
	if err != nil {
		r.end(err)
		return nil, err
	}
	return &sqliteRows{rows.(sqliteDriverRows), r, nil}, nil
}

// Next implements driver.Rows.
func (r *sqliteRows) Next(into []driver.Value) error {
	err := r.sqliteDriverRows.Next(into)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return err
}

// Close implements driver.Rows.
func (r *sqliteRows) Close() error {
	err := r.sqliteDriverRows.Close()
	if of := r.of; of != nil {
		r.of = nil
		of.end(errors.Join(r.err, err))
	}
	return err
}
