// Builds ../dist/page.html: the page's HTML with its style sheet, its script and the licences of the libraries in
// it. The content security policy names the script by its digest: no other script runs, whatever a label holds.
// `--verify` writes nothing and fails if the committed file is not what these sources give.
import { createHash } from "node:crypto";
import { readFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "dist", "page.html");

const built = await esbuild.build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts", "src/style.css"],
  outdir: "out",
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  format: "iife",
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none",
  define: { "process.env.NODE_ENV": '"production"' },
});
const text = (ending) => built.outputFiles.find((f) => f.path.endsWith(ending)).text.trim();
// An inline script must not hold what ends it.
const script = text(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
// Colours of roles are those of the one table that pictures and Python read too.
const look = JSON.parse(readFileSync(join(here, "..", "..", "look", "look.json"), "utf8"));
const variables = (shade) => {
  const roles = Object.entries(look.roles).map(([name, role]) => [name, role[shade]]);
  const all = [...roles, ["surface", look.ground[shade]], ["other", look.other[shade]]];
  return all.map(([name, colour]) => `--${name}:${colour}`).join(";");
};
const dark = `@media (prefers-color-scheme:dark){:root:not(.printing){${variables("dark")}}}`;
const style = `:root{${variables("light")}}${dark}${text(".css")}`;

// The packages that went in, by the bundler's own account, with the licence that each of them carries.
const packages = new Set();
for (const input of Object.keys(built.metafile.inputs)) {
  const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (found) packages.add(found[1]);
}
const notices = [...packages].sort().map((name) => {
  const folder = join(here, "node_modules", name);
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const parts = [`${name} ${about.version} (${about.license})`];
  for (const file of ["LICENSE", "LICENSE.txt", "NOTICE"]) {
    let words;
    try {
      words = readFileSync(join(folder, file), "utf8").trim();
    } catch {
      continue;
    }
    // The Apache licence is long and known; its notice and the address are what it asks to be kept.
    if (words.includes("Apache License") && words.length > 5000)
      words = "Licensed under the Apache License, Version 2.0: https://www.apache.org/licenses/LICENSE-2.0";
    parts.push(words);
  }
  return parts.join("\n\n");
});
const escape = (s) => s.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const digest = createHash("sha256").update(script, "utf8").digest("base64");
const policy =
  `default-src 'none'; script-src 'sha256-${digest}'; style-src 'unsafe-inline'; img-src data: blob:; ` +
  "base-uri 'none'; form-action 'none'";
const frame = readFileSync(join(here, "src", "page.html"), "utf8");
const put = (page, mark, value) => {
  const parts = page.split(mark);
  if (parts.length !== 2) throw new Error(`found ${parts.length - 1} of ${mark} in page.html, expected one`);
  return parts[0] + value + parts[1];
};
let page = put(frame, "<!--build:policy-->", policy);
page = put(page, "<!--build:style-->", style);
page = put(page, "<!--build:licences-->", escape(notices.join("\n\n\n")));
page = put(page, "<!--build:script-->", script);

if (process.argv.includes("--verify")) {
  let committed = "";
  try {
    committed = readFileSync(target, "utf8");
  } catch {}
  if (committed !== page) {
    console.error("page/dist/page.html is not what page/web builds: run `npm run build` there and commit it");
    process.exit(1);
  }
  console.log("page/dist/page.html is current");
} else {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, page);
  console.log(`page/dist/page.html: ${(page.length / 1000).toFixed(0)} kB, with ${[...packages].sort().join(", ")}`);
}
