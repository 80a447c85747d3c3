// The browser and the packages that check pages, or the reason why nothing can be checked here: then
// importing this file ends the program with 77, loudly. The browser ends with this program, however
// that ends: it is closed in order, killed when the program exits, and leaves by itself when the pipe
// to a killed program closes.
//   MODULES   a folder with the node_modules of package.json (tests/install_packages.sh)
//   CHROMIUM  another browser than Debian's chromium
import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join, resolve } from 'node:path';

function skip(why) {
  console.error(`NOT TESTED: ${why}`);
  process.exit(77);
}

// The oldest Node that all packages run on.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  skip(`pages need node 20.19 or later, and this is ${process.versions.node}`);
}

const modules = resolve(process.env.MODULES ?? '.');
if (!existsSync(join(modules, 'node_modules'))) {
  skip(`no npm packages in ${modules}: see tests/install_packages.sh`);
}
export const require = createRequire(join(modules, 'package.json'));

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
const named = process.env.CHROMIUM;
const executablePath = (named ? [named]
  : (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'chromium'))).find(isProgram);
if (!executablePath) skip(`there is no ${named ?? 'chromium'} here (Debian: chromium)`);

// Without its sandbox, which refuses root and needs rights that containers do not give: the pages are
// our own. Names resolve to nothing, so that not even a bad page reaches another machine.
export function startBrowser() {
  return require('playwright-core').chromium.launch({
    executablePath,
    chromiumSandbox: false,
    args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'],
  });
}
