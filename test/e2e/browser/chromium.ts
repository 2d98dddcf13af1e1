/** Debian's own Chromium in a root of its own: nothing is installed on the machine, and its fonts and libraries do not count. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { debianBase } from '../build/base.ts'
import { packageLayer } from '../build/package-layer.ts'

const PACKAGES = ['chromium-headless-shell', 'fonts-dejavu-core']

/** Its mounts are in a namespace of its own and go with it. The folder for profiles is the machine's: Playwright makes them. */
const launcher = (layers: readonly string[], root: string) => `#!/bin/sh
exec unshare --mount --propagation private sh -c '
set -e
mount -t overlay overlay -o "lowerdir=${layers.join(':')}" "${root}"
mount -t proc proc "${root}/proc"
mount --rbind /dev "${root}/dev"
mount --bind "${tmpdir()}" "${root}/tmp"
TMPDIR=/tmp HOME=/tmp exec chroot "${root}" /usr/lib/chromium/chromium-headless-shell "$@"' chromium "$@"
`

export interface RunningBrowser extends AsyncDisposable {
  readonly browser: Browser
}

export async function startChromium(announce: (line: string) => void): Promise<RunningBrowser> {
  const base = await debianBase(announce)
  const layers = [await packageLayer(base, 'chromium', PACKAGES), base]
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-chromium-'))
  const [root, program] = [join(folder, 'root'), join(folder, 'chromium')]
  await mkdir(root)
  await writeFile(program, launcher(layers, root))
  await chmod(program, 0o755)
  // Chromium refuses its sandbox to root, which the chroot needs. It opens pages of this project only.
  const browser = await chromium.launch({ executablePath: program, chromiumSandbox: false })
  return {
    browser,
    [Symbol.asyncDispose]: async () => {
      await browser.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
