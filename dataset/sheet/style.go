package sheet

import (
	"math"
	"strconv"
	"strings"

	"mingle/dataset/column"
)

// style is how numbers are shown.
type style struct {
	date, clock bool
	digits      int // before the point, at least; 0: as many as there are
	decimals    int // behind it; with fixed
	fixed       bool
	percent     bool
}

// readStyles reads the formats of numbers, if there are any.
func (f *File) readStyles() error {
	if in, err := f.open("xl/styles.xml"); err != nil {
		return nil //nolint:nilerr // all numbers are shown as they are
	} else if err := in.Close(); err != nil {
		return err
	}
	var stored struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			ID int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := f.small("xl/styles.xml", &stored); err != nil {
		return err
	}
	known := map[int]style{} // a forged book has millions of cells of one long format
	for id, code := range builtIn {
		known[id] = styleOf(code)
	}
	for _, n := range stored.Formats {
		known[n.ID] = styleOf(n.Code)
	}
	for _, c := range stored.Cells {
		f.styles = append(f.styles, known[c.ID])
	}
	return nil
}

// builtIn are the formats that have numbers only; what is not here is shown as it is.
var builtIn = map[int]string{
	1: "0", 2: "0.00", 9: "0%", 10: "0.00%", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm",
	17: "mmm-yy", 18: "h:mm", 19: "h:mm:ss", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm",
	45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
}

// styleOf reads a format code: its first section, without what is quoted.
func styleOf(code string) style {
	plain := unquoted(code)
	zeros := strings.TrimSuffix(plain, "%")
	whole, part, _ := strings.Cut(zeros, ".")
	if zeros != "" && strings.Trim(whole+part, "0") == "" && len(zeros) < 40 {
		return style{
			fixed: true, digits: len(whole), decimals: len(part), percent: zeros != plain,
		}
	}
	small := strings.ToLower(plain)
	if strings.Contains(small, "general") {
		return style{}
	}
	return style{
		date:  strings.ContainsAny(small, "yd") || strings.Contains(small, "mmm"),
		clock: strings.ContainsAny(small, "hs"),
	}
}

// unquoted is the first section of a format code without quoted texts, colours and conditions.
func unquoted(code string) string {
	var out strings.Builder
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case ';':
			return out.String()
		case '\\', '_', '*':
			i++
		case '"':
			if n := strings.IndexByte(code[i+1:], '"'); n >= 0 {
				i += n + 1
			}
		case '[':
			n := strings.IndexByte(code[i:], ']')
			if n < 0 {
				continue
			}
			if in := strings.ToLower(code[i+1 : i+n]); strings.Trim(in, "hms") == "" {
				out.WriteString(in)
			}
			i += n
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// append appends a number as it is shown.
func (s style) append(dst []byte, value string, early bool) []byte {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return append(dst, value...)
	}
	switch {
	case s.fixed:
		return s.appendFixed(dst, n)
	case s.date || s.clock:
		return s.appendTime(dst, n, early)
	}
	// what is shown has at most 15 digits
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(n, 'g', 15, 64), 64)
	dst, _ = column.AppendFloat(dst, rounded, 64)
	return dst
}

func (s style) appendFixed(dst []byte, n float64) []byte {
	if s.percent {
		n *= 100
	}
	text := strconv.FormatFloat(math.Abs(n), 'f', s.decimals, 64)
	if n < 0 && strings.Trim(text, "0.") != "" {
		dst = append(dst, '-')
	}
	whole, _, _ := strings.Cut(text, ".")
	for range s.digits - len(whole) {
		dst = append(dst, '0')
	}
	dst = append(dst, text...)
	if s.percent {
		dst = append(dst, '%')
	}
	return dst
}

// appendTime appends a day, a time of day or both. Days are counted from 1900 as if that had been a
// leap year, or from 1904.
func (s style) appendTime(dst []byte, n float64, early bool) []byte {
	const epoch, late, millis = 25569, 1462, 86_400_000 // 1970-01-01; days from 1900 to 1904
	if n < 0 || n > 3_000_000 {
		dst, _ = column.AppendFloat(dst, n, 64)
		return dst
	}
	if early {
		n += late
	} else if n < 60 && n >= 1 {
		n++ // before the day that never was
	}
	at := int64(math.Round((n - epoch) * millis))
	day := at / millis
	if at%millis < 0 {
		day--
	}
	switch {
	case s.date && s.clock:
		return column.AppendTimestamp(dst, at, 1000, false)
	case s.date:
		return column.AppendDate(dst, day)
	case n >= 1: // a duration
		return column.AppendTimestamp(dst, at, 1000, false)
	}
	return column.AppendClock(dst, int64(math.Round(n*millis)), 1000)
}
