package spark

import (
	"fmt"
	"strings"

	"mingle/cluster/engine"
)

// statement makes the statement of a job.
type statement struct {
	job          engine.Job
	views        []string
	worker, plan string
}

// Without a format of its own on both sides, fields come back as null; a field that has no
// delimiter in it is the whole line.
const (
	tabs   = `ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'`
	no     = `ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001'`
	groups = 20 // of names that are below the bound
)

// asText is the format of lines that are written: as they are, whatever the settings of Hadoop say.
const asText = `USING text OPTIONS (compression 'none')`

// joined is a row of a table as a line, and parted a line as a row.
const (
	joined = `CASE WHEN exists(` + texts + `, x -> x IS NULL OR x = '' OR x RLIKE '\\s') THEN ` +
		`raise_error('an item of a table is nothing, or has a blank in it') ` +
		`ELSE array_join(` + texts + `, ' ') END`
	texts  = `CAST(items AS ARRAY<STRING>)` // items may be numbers
	parted = `filter(split(line, ' '), x -> x <> '') AS items`
)

// text is the statement. Rows begin with a text that nothing else on standard output begins with.
func (s statement) text(row string) string {
	switch {
	case s.job.Output != "" && s.job.Table && s.job.Placed:
		return fmt.Sprintf("INSERT OVERWRITE DIRECTORY '%s' USING parquet SELECT %s FROM (%s) "+
			"ORDER BY place", uri(s.job.Output), parted, s.places())
	case s.job.Output != "" && s.job.Placed:
		return fmt.Sprintf("INSERT OVERWRITE DIRECTORY '%s' %s SELECT line FROM (%s) "+
			"ORDER BY place", uri(s.job.Output), asText, s.places())
	case s.job.Output != "" && s.job.Table:
		return fmt.Sprintf("INSERT OVERWRITE DIRECTORY '%s' USING parquet SELECT %s FROM (%s)",
			uri(s.job.Output), parted, s.lines())
	case s.job.Output != "" && s.job.Sorted:
		return fmt.Sprintf("INSERT OVERWRITE DIRECTORY '%s' %s SELECT line FROM (%s) "+
			"ORDER BY line", uri(s.job.Output), asText, s.lines())
	case s.job.Output != "":
		return fmt.Sprintf("INSERT OVERWRITE DIRECTORY '%s' %s %s", uri(s.job.Output), asText,
			s.lines())
	case s.job.Reduce != "":
		return fmt.Sprintf("SELECT '%s', line FROM (SELECT TRANSFORM(name, text) %s USING '%s' "+
			"AS (line STRING) %s FROM (SELECT name, text FROM (%s) DISTRIBUTE BY name "+
			"SORT BY name))", row, tabs, s.command(s.job.Reduce), no, s.named())
	case s.job.Share > 0:
		return s.shares(row)
	case s.job.Below > 0:
		return fmt.Sprintf("SELECT '%s', label, sum(n), count(*), min(name) FROM (SELECT CASE "+
			"WHEN name LIKE '@%%' THEN name WHEN n < %d THEN concat('<', %s) "+
			"ELSE '>' END AS label, name, n FROM (%s)) GROUP BY label", row, s.job.Below,
			s.below("name"), s.sums())
	}
	return fmt.Sprintf("SELECT '%s', line FROM (%s)", row, s.lines())
}

// below is which group a name is in that is below the bound; column has the names.
func (s statement) below(column string) string {
	if s.job.Listed {
		return column
	}
	return fmt.Sprintf("pmod(hash(%s), %d)", column, groups)
}

// places is lines, and what stands before them.
func (s statement) places() string {
	return fmt.Sprintf(`SELECT substring_index(line, '\t', 1) AS place, `+
		`substring(line, instr(line, '\t') + 1) AS line FROM (%s)`, s.lines())
}

// sums is the sum of each name.
func (s statement) sums() string {
	return fmt.Sprintf("SELECT name, sum(CAST(text AS BIGINT)) AS n FROM (%s) GROUP BY name",
		s.named())
}

// shares is the text where names have parts.
func (s statement) shares(row string) string {
	parted := fmt.Sprintf("SELECT CASE WHEN name LIKE '@%%' THEN name ELSE "+
		"substring_index(name, '/', 1) END AS whole, name, n FROM (%s)", s.sums())
	each := fmt.Sprintf("SELECT whole, sum(n) AS n, "+
		"sum(CASE WHEN name = whole THEN n ELSE 0 END) AS own, "+
		"max(CASE WHEN name = whole THEN 0 ELSE n END) AS most FROM (%s) GROUP BY whole", parted)
	return fmt.Sprintf("SELECT '%s', label, sum(n), count(*), min(whole) FROM (SELECT CASE "+
		"WHEN whole LIKE '@%%' THEN whole "+
		"WHEN own < %d THEN concat('<', %s) WHEN %d * most > own THEN concat('/', %s) "+
		"ELSE '>' END AS label, whole, n FROM (%s)) GROUP BY label", row, s.job.Below,
		s.below("whole"), s.job.Share, s.below("whole"), each)
}

// lines is what "map" makes of the files, as whole lines.
func (s statement) lines() string {
	if s.job.By != "" {
		return fmt.Sprintf("SELECT TRANSFORM(name, text) %s USING '%s' AS (line STRING) %s "+
			"FROM (%s)", tabs, s.command(s.job.Map), no, s.brought())
	}
	return fmt.Sprintf("SELECT TRANSFORM(%s) %s USING '%s' AS (line STRING) %s FROM (%s)",
		s.columns(), tabs, s.command(s.job.Map), no, s.files())
}

// named is what "map" makes of the files, a name and a text a line.
func (s statement) named() string {
	if s.job.By != "" {
		return fmt.Sprintf("SELECT TRANSFORM(name, text) %s USING '%s' "+
			"AS (name STRING, text STRING) %s FROM (%s)", tabs, s.command(s.job.Map), tabs,
			s.brought())
	}
	return fmt.Sprintf("SELECT TRANSFORM(%s) %s USING '%s' AS (name STRING, text STRING) %s "+
		"FROM (%s)", s.columns(), tabs, s.command(s.job.Map), tabs, s.files())
}

// brought is what "by" makes of the files, lines of a name in one place.
func (s statement) brought() string {
	by := fmt.Sprintf("SELECT TRANSFORM(%s) %s USING '%s' AS (name STRING, text STRING) %s "+
		"FROM (%s)", s.columns(), tabs, s.command(s.job.By), tabs, s.files())
	return fmt.Sprintf("SELECT name, text FROM (%s) DISTRIBUTE BY name SORT BY name", by)
}

func (s statement) columns() string {
	if s.job.Origin {
		return "file, place, value"
	}
	return "value"
}

// files is the lines of all files. Spark puts the parts of one file in order, and those of a union
// one after another.
func (s statement) files() string {
	var each []string
	for _, v := range s.views {
		columns := "value"
		if s.job.Origin {
			columns = "input_file_name() AS file, input_file_block_start() AS place, value"
		}
		each = append(each, fmt.Sprintf("SELECT %s FROM %s", columns, v))
	}
	return strings.Join(each, " UNION ALL ")
}

// command is that of a worker. Spark starts it in the folder where it has put what it was sent; of
// version 4 in the folder above, which has one for each session.
func (s statement) command(verb string) string {
	bound := ""
	if s.job.Memory > 0 {
		bound = fmt.Sprintf(" --memory %dB", s.job.Memory)
	}
	return fmt.Sprintf("cd $(dirname $(ls -d %s */%s 2>/dev/null | head -n 1)) && "+
		"exec ./%s worker %s %s%s", s.plan, s.plan, s.worker, verb, s.plan, bound)
}
