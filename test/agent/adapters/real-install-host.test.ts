import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { realInstallHost } from '../../../src/agent/adapters/real-install-host.ts'
import { place } from '../../../src/agent/install/place.ts'

/** A host that does not run, and has these versions of the agent. */
function aHost(...versions: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), 'nodewave-install-'))
  const opt = join(root, 'opt/nodewave')
  const add = (version: string): void => {
    mkdirSync(join(opt, version, 'sysvinit'), { recursive: true })
    for (const name of ['nodewave-agent.mjs', 'nodewave-agent.service', 'sysvinit/nodewave-agent'])
      writeFileSync(join(opt, version, name), '')
  }
  for (const version of versions) add(version)
  const host = realInstallHost(new HostTree(root), { say: () => undefined })
  return { host, opt, add, [Symbol.dispose]: () => rmSync(root, { recursive: true }) }
}

test('place of a version keeps the one before, and leaves nothing of older ones', async () => {
  using machine = aHost()
  const { host, opt, add } = machine
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) {
    add(version)
    await place({ version }, host)
  }
  expect(readdirSync(opt).sort()).toEqual(['1.1.0', '1.2.0', 'current', 'previous'])
})

test('place of a version finishes the removal of another one that was ended in the middle', async () => {
  using machine = aHost('1.0.0', '1.1.0')
  const { host, opt } = machine
  await host.rename('/opt/nodewave/1.0.0', '.1.0.0.removed.partial')
  expect(readdirSync(opt).sort()).toEqual(['.1.0.0.removed.partial', '1.1.0'])
  await place({ version: '1.1.0' }, host)
  expect(readdirSync(opt).sort()).toEqual(['1.1.0', 'current'])
})

test('a folder that is not there can be renamed, which does nothing', async () => {
  using machine = aHost('1.0.0')
  const { host, opt } = machine
  await host.rename('/opt/nodewave/0.9.0', '.0.9.0.removed.partial')
  expect(readdirSync(opt)).toEqual(['1.0.0'])
})

const OVERLAY =
  'mount -t tmpfs none "$1" && mkdir "$1/u" "$1/w" && mount -t overlay none -o "lowerdir=$2,upperdir=$1/u,workdir=$1/w" "$2"'

/** Only for who may mount. */
function mountsOverlays(): boolean {
  const directories = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'nodewave-overlay-')))
  const { status } = spawnSync('unshare', ['-m', 'sh', '-c', OVERLAY, 'sh', ...directories])
  for (const directory of directories) rmSync(directory, { recursive: true })
  return status === 0
}

/** Of the host, after a layer over it has run the script, as an image is built layer by layer. */
function inALayer(root: string, script: string): string[] {
  const layer = mkdtempSync(join(tmpdir(), 'nodewave-layer-'))
  const args = ['-m', 'sh', '-c', `${OVERLAY} && "$3" --input-type=module -e "$4" && ls -A "$2/opt/nodewave"`]
  const listed = execFileSync('unshare', [...args, 'sh', layer, root, process.execPath, script], { encoding: 'utf8' })
  rmSync(layer, { recursive: true })
  return listed.trim().split('\n')
}

const AGENT = join(import.meta.dirname, '../../../src/agent')
const canMount = mountsOverlays()

test.runIf(canMount)('place removes an older version that a layer below has', () => {
  using machine = aHost('1.0.0', '1.1.0', '1.2.0')
  symlinkSync('1.1.0', join(machine.opt, 'current'))
  symlinkSync('1.0.0', join(machine.opt, 'previous'))
  const root = join(machine.opt, '../..')
  const script = `
    const { HostTree } = await import('${AGENT}/adapters/host-tree.ts')
    const { realInstallHost } = await import('${AGENT}/adapters/real-install-host.ts')
    const { place } = await import('${AGENT}/install/place.ts')
    await place({ version: '1.2.0' }, realInstallHost(new HostTree('${root}'), { say: () => undefined }))`
  expect(inALayer(root, script)).toEqual(['1.1.0', '1.2.0', 'current', 'previous'])
})

test.runIf(canMount)('a copy replaces a folder with other content that a layer below has', () => {
  using machine = aHost('1.0.0')
  const root = join(machine.opt, '../..')
  const source = mkdtempSync(join(tmpdir(), 'nodewave-source-'))
  writeFileSync(join(source, 'nodewave-agent.mjs'), 'other')
  const script = `
    const { copyToHost } = await import('${AGENT}/adapters/copy-folder.ts')
    copyToHost('${source}', { host: '${root}', folder: '/opt/nodewave/1.0.0' })`
  expect(inALayer(root, script)).toEqual(['1.0.0'])
  rmSync(source, { recursive: true })
})

/** Notes each call that leaves the version without its program: the power may go after any of them. */
const WATCHED = `
  const [{ default: fs }, { syncBuiltinESMExports }] = [await import('node:fs'), await import('node:module')]
  const bare = []
  for (const name of ['renameSync', 'rmSync']) {
    const call = fs[name]
    fs[name] = (...args) => {
      call(...args)
      if (!fs.existsSync(program)) bare.push(name)
    }
  }
  syncBuiltinESMExports()`

test.runIf(canMount)(
  'a copy that replaces a folder of a layer below has the program there at any moment, and the rest of the other content',
  () => {
    using machine = aHost('1.0.0')
    const root = join(machine.opt, '../..')
    const source = mkdtempSync(join(tmpdir(), 'nodewave-source-'))
    for (const name of ['nodewave-agent.mjs', 'new']) writeFileSync(join(source, name), 'other')
    mkdirSync(join(source, 'lib'))
    writeFileSync(join(source, 'lib/libc.so'), 'library')
    const folder = join(machine.opt, '1.0.0')
    for (const name of ['old', 'refused', '../theirs']) writeFileSync(join(folder, name), '')
    symlinkSync('..', join(folder, 'lib'))
    const script = `
    const program = '${folder}/nodewave-agent.mjs'${WATCHED}
    const { copyToHost } = await import('${AGENT}/adapters/copy-folder.ts')
    copyToHost('${source}', { host: '${root}', folder: '/opt/nodewave/1.0.0' })
    console.log([...bare, fs.readFileSync(program, 'utf8'), ...fs.readdirSync('${folder}', { recursive: true }).sort()].join(' '))`
    expect(inALayer(root, script)).toEqual(['other lib lib/libc.so new nodewave-agent.mjs', '1.0.0', 'theirs'])
    rmSync(source, { recursive: true })
  },
)
