"""Makes files with pyarrow for interop_test.go, or reads those that the tests wrote.

interop.py make DIR: writes DIR/<case>.<extension>, and beside them <case>.json, the sets and
columns that are to be read. interop.py read FILE: prints what pyarrow reads, a JSON array of rows.
"""

import datetime as dt
import decimal
import json
import os
import random
import sys

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc
import pyarrow.parquet as pq


def expected(path, sets, columns=None):
    sets = [sorted({str(i) for i in s or [] if i is not None and i != ""}) for s in sets]
    with open(path, "w") as f:
        json.dump({"sets": sets, "columns": columns or {}}, f)


def tables():
    random.seed(1)
    n = 3000
    items = [f"it{i}" for i in range(300)] + ['"q"', "é😀", "a,b;c", " sp ", ""]
    sets = [
        None
        if random.random() < 0.02
        else [
            random.choice(items) if random.random() > 0.01 else None
            for _ in range(random.randint(0, 9))
        ]
        for _ in range(n)
    ]
    numbers = [None if s is None else [random.randint(0, 5000) for _ in s] for s in sets]
    age = [None if random.random() < 0.1 else random.randint(1, 90) for _ in range(n)]
    texts = {"id": [str(i) for i in range(n)], "age": ["" if a is None else str(a) for a in age]}
    table = pa.table(
        {
            "id": pa.array(range(n), pa.int32()),
            "items": pa.array(sets, pa.list_(pa.string())),
            "age": pa.array(age, pa.int64()),
        }
    )
    return sets, numbers, texts, table, pa.table({"items": pa.array(numbers, pa.list_(pa.int64()))})


def types():
    d = decimal.Decimal
    moment = dt.datetime(2010, 3, 5, 10, 31, 59)
    early = dt.datetime(1960, 1, 1, 0, 0, 0, 5000)
    columns = [
        ("i8", pa.int8(), [1, -2], ["1", "-2"]),
        ("u8", pa.uint8(), [200, 1], ["200", "1"]),
        ("u32", pa.uint32(), [4294967295, 1], ["4294967295", "1"]),
        ("u64", pa.uint64(), [18446744073709551615, 1], ["18446744073709551615", "1"]),
        ("f", pa.float64(), [7.0, 0.1], ["7", "0.1"]),
        ("f32", pa.float32(), [0.1, float("nan")], ["0.1", ""]),
        ("h", pa.float16(), [1.5, -2], ["1.5", "-2"]),
        ("b", pa.bool_(), [True, False], ["true", "false"]),
        ("d", pa.date32(), [moment.date(), dt.date(1969, 12, 31)], ["2010-03-05", "1969-12-31"]),
        (
            "ts",
            pa.timestamp("us"),
            [moment, early],
            ["2010-03-05T10:31:59", "1960-01-01T00:00:00.005"],
        ),
        ("tz", pa.timestamp("ms", tz="UTC"), [moment, None], ["2010-03-05T10:31:59Z", ""]),
        (
            "ns",
            pa.timestamp("ns"),
            [1234567890123456789, None],
            ["2009-02-13T23:31:30.123456789", ""],
        ),
        ("tm", pa.time32("ms"), [dt.time(10, 31, 59), None], ["10:31:59", ""]),
        ("dec", pa.decimal128(10, 2), [d("12.50"), d("-0.05")], ["12.50", "-0.05"]),
        ("wide", pa.decimal128(38, 1), [d("12.5"), d("-0.5")], ["12.5", "-0.5"]),
        ("bin", pa.binary(), [b"ab", b"c"], ["ab", "c"]),
        ("fixed", pa.binary(2), [b"ab", b"cd"], ["ab", "cd"]),
        ("text", pa.large_string(), ["x", "é😀"], ["x", "é😀"]),
    ]
    arrays = {name: pa.array(values + [None], kind) for name, kind, values, _ in columns}
    arrays["cat"] = pa.array(["x", "y", None]).dictionary_encode()
    texts = {name: want + [""] for name, _, _, want in columns} | {"cat": ["x", "y", ""]}
    unusable = {
        "record": pa.array([{"a": 1}, {"a": 2}, None]),
        "deep": pa.array([[[1]], [], None]),
        "map": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int32())),
        "other": pa.array([[1], [], None]),
    }
    sets = [["a", "b"], [], None]
    last = {"items": pa.array(sets, pa.list_(pa.string()))}
    return sets, texts, pa.table(arrays | unusable | last)


def parquet(out):
    sets, numbers, texts, table, integers = tables()

    def case(name, of, **options):
        pq.write_table(of, f"{out}/{name}.parquet", **options)
        if of is integers:
            expected(f"{out}/{name}.json", numbers)
        else:
            expected(f"{out}/{name}.json", sets, texts)

    for codec in ["none", "snappy", "gzip", "zstd", "lz4"]:
        for version in ["1.0", "2.0"]:
            for dictionary in [True, False]:
                options = {
                    "compression": codec,
                    "data_page_version": version,
                    "use_dictionary": dictionary,
                    "row_group_size": 1700,
                    "data_page_size": 700 if version == "1.0" else 1 << 20,
                    "dictionary_pagesize_limit": 1024 if codec == "zstd" else 1 << 20,
                }
                name = f"{codec}-{version}-{dictionary}"
                case("texts-" + name, table, **options)
                case("integers-" + name, integers, **options)
    plain = {"use_dictionary": False, "data_page_size": 900}
    e = "items.list.element"
    encodings = {e: "DELTA_BYTE_ARRAY", "age": "DELTA_BINARY_PACKED", "id": "BYTE_STREAM_SPLIT"}
    case("delta-text", table, column_encoding=encodings, **plain)
    encodings = {e: "DELTA_LENGTH_BYTE_ARRAY", "age": "DELTA_BINARY_PACKED"}
    case("delta-length", table, column_encoding=encodings, data_page_version="2.0", **plain)
    case("delta-integers", integers, column_encoding={e: "DELTA_BINARY_PACKED"}, **plain)
    case("old-names", table, use_compliant_nested_type=False)
    sets, texts, table = types()
    case_sets, case_texts = sets, texts
    pq.write_table(table, f"{out}/types.parquet")
    expected(f"{out}/types.json", case_sets, case_texts)
    some = table.select(["f", "ts", "items"])
    pq.write_table(some, f"{out}/int96.parquet", use_deprecated_int96_timestamps=True)
    expected(f"{out}/int96.json", sets, {name: texts[name] for name in ["f", "ts"]})


def arrow(out):
    sets, numbers, texts, table, integers = tables()
    at = table.schema.get_field_index("items")
    coded = table.set_column(
        at,
        "items",
        pa.ListArray.from_arrays(
            table["items"].combine_chunks().offsets,
            table["items"].combine_chunks().values.dictionary_encode(),
            mask=pa.compute.is_null(table["items"].combine_chunks()),
        ),
    )
    large = table.cast(
        pa.schema(
            [
                ("id", pa.int32()),
                ("items", pa.large_list(pa.large_string())),
                ("age", pa.int64()),
            ]
        )
    )
    views = table.cast(
        pa.schema([("id", pa.int32()), ("items", pa.list_(pa.string_view())), ("age", pa.int64())])
    )

    def case(name, of, want, columns, stream, compression, rows=700):
        path = f"{out}/{name}." + ("arrows" if stream else "arrow")
        options = ipc.IpcWriteOptions(compression=compression, emit_dictionary_deltas=stream)
        begin = ipc.new_stream if stream else ipc.new_file
        with begin(path, of.schema, options=options) as w:
            w.write_table(of, max_chunksize=rows)
        expected(f"{out}/{name}.json", want, columns)

    for stream in [True, False]:
        for compression in [None, "lz4", "zstd"]:
            kind = f"{stream}-{compression}"
            case(f"plain-{kind}", table, sets, texts, stream, compression)
            case(f"coded-{kind}", coded, sets, texts, stream, compression)
            case(f"large-{kind}", large, sets, texts, stream, compression)
            case(f"views-{kind}", views, sets, texts, stream, compression)
            case(f"integers-{kind}", integers, numbers, {}, stream, compression)
            case(f"sliced-{kind}", table.slice(100), sets[100:], {}, stream, compression)
            three, three_texts, three_table = types()
            case(f"types-{kind}", three_table, three, three_texts, stream, compression)
    feather.write_feather(table, f"{out}/feather.feather")
    expected(f"{out}/feather.json", sets, texts)


def xlsx(out):
    try:
        import openpyxl
    except ImportError:
        return
    book = openpyxl.Workbook()
    sheet = book.active
    names = ["id", "items", "when", "day", "code", "part", "clock", "number", "truth"]
    sheet.append(names)
    moment = dt.datetime(2010, 3, 5, 10, 31, 59)
    sheet.append([1, "a;b é😀", moment, moment.date(), 42, 0.125, moment.time(), 0.1 + 0.2, True])
    early = dt.datetime(1960, 1, 1)
    sheet.append([2, None, early, dt.date(1900, 1, 15), 427.31, None, None, 1e-7, False])
    sheet["A6"].value, sheet["B6"].value = 3, "c"  # behind blank rows
    sheet["B9"].fill = openpyxl.styles.PatternFill("solid", fgColor="FF0000")
    sheet["E2"].number_format, sheet["E3"].number_format = "00000", "0.00"
    sheet["F2"].number_format = "0.0%"
    book.create_sheet("Other").append(["transaction", "item"])
    book.save(f"{out}/book.xlsx")
    texts = {
        "id": ["1", "2", "3"],
        "when": ["2010-03-05T10:31:59", "1960-01-01T00:00:00", ""],
        "day": ["2010-03-05", "1900-01-15", ""],
        "code": ["00042", "427.31", ""],
        "part": ["12.5%", "", ""],
        "clock": ["10:31:59", "", ""],
        "number": ["0.3", "1e-07", ""],
        "truth": ["true", "false", ""],
    }
    expected(f"{out}/book.json", [["a", "b é😀"], None, ["c"]], texts)


def read_xlsx(path):
    import openpyxl

    rows = list(openpyxl.load_workbook(path).active.iter_rows(values_only=True))
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def read(path):
    if path.endswith(".xlsx"):
        json.dump(read_xlsx(path), sys.stdout)
        return
    if path.endswith(".parquet"):
        table = pq.read_table(path)
    elif path.endswith(".arrows"):
        table = ipc.open_stream(path).read_all()
    else:
        table = ipc.open_file(path).read_all()
    json.dump(table.to_pylist(), sys.stdout)


if sys.argv[1] == "make":
    for kind, make in [("parquet", parquet), ("arrow", arrow), ("xlsx", xlsx)]:
        os.makedirs(f"{sys.argv[2]}/{kind}")
        make(f"{sys.argv[2]}/{kind}")
else:
    read(sys.argv[2])
