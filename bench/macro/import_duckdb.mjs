// A folder of JSONL files into a database of DuckDB's own format, one table a file.
//
//   node import_duckdb.mjs MODULES FOLDER DATABASE [SAMPLE]
//   node import_duckdb.mjs MODULES --count DATABASE           prints the rows of all tables
//
// MODULES: the node_modules with @duckdb/node-api. DuckDB is asked for what `tidemill import`
// makes: scalars with their types, nested values as JSON. Left alone it would make structs, which
// cost more, or give every column the type JSON; so DESCRIBE comes first, and what it calls nested
// is JSON. SAMPLE: how many lines DESCRIBE looks at; -1, the default here, is all of them, without
// which a field or a type that comes late is an error or is lost; 20480 is DuckDB's own default.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [modules, folder, database, sample = "-1"] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(join(modules, "/"))("@duckdb/node-api");

const text = (value) => `'${value.replaceAll("'", "''")}'`;
const name = (value) => `"${value.replaceAll('"', '""')}"`;
const isNested = (type) => /^(STRUCT|MAP|UNION)\b|\[\d*\]$/.test(type);

const connection = await (await DuckDBInstance.create(database)).connect();

async function rowsOf(query) {
  return (await connection.runAndReadAll(query)).getRowObjects();
}

async function count() {
  let rows = 0n;
  for (const table of await rowsOf("select table_name from duckdb_tables()")) {
    rows += (await rowsOf(`select count(*) as rows from ${name(table.table_name)}`))[0].rows;
  }
  return rows;
}

async function load(file) {
  const path = text(join(folder, file));
  const how = "format='newline_delimited', maximum_object_size=1073741824";
  const seen = await rowsOf(
    `describe select * from read_json(${path}, ${how}, sample_size=${sample}, maximum_depth=2,
       convert_strings_to_integers=false, timestampformat='none', dateformat='none')`);
  const columns = seen.map(({ column_name, column_type }) =>
    `${name(column_name)}: ${text(isNested(column_type) ? "JSON" : column_type)}`);
  await connection.run(
    `create table ${name(file.slice(0, -".jsonl".length))} as
       select * from read_json(${path}, ${how}, columns={${columns.join(", ")}})`);
}

if (folder === "--count") {
  console.log(String(await count()));
} else {
  const files = readdirSync(folder).filter((entry) => entry.endsWith(".jsonl")).sort();
  for (const file of files) await load(file);
}
connection.closeSync();
