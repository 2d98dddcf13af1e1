import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'
import { unpack } from '../../../src/agent/adapters/rpm/rpm-archive.ts'
import { ENVIRONMENT, runProgram } from '../../../src/agent/adapters/run-program.ts'

const REFUSED = 'rpm2archive: "tool.rpm" is no rpm'
/** Stands for rpm2archive: a package is the archive itself. */
const program = (ofNamed: string): string => `#!/bin/sh\nif [ "$1" = - ]; then cat; else ${ofNamed}; fi\n`
const BESIDE = program('cat "$1" > "$1.tgz"')
const TO_OUTPUT = program('cat "$1"')

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodewave-rpm-archive-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** @returns what is in the directory and beside the package then */
async function unpackedBy(script: string): Promise<{ readonly text: string; readonly beside: string[] }> {
  const bin = join(root, 'bin')
  const store = join(root, 'store')
  for (const directory of [bin, store, join(root, 'content')]) mkdirSync(directory)
  writeFileSync(join(bin, 'rpm2archive'), script)
  chmodSync(join(bin, 'rpm2archive'), 0o755)
  writeFileSync(join(root, 'content/tool'), 'tool 1.0\n')
  execFileSync('tar', ['--create', '--gzip', `--file=${join(store, 'tool.rpm')}`, `--directory=${join(root, 'content')}`, 'tool'])
  const env = { PATH: `${bin}:${ENVIRONMENT.PATH}` }
  await unpack(join(store, 'tool.rpm'), {
    directory: join(root, 'unpacked'),
    files: nodeFiles(new HostTree('/')),
    run: (name, args) => runProgram(name, args, { env }),
  })
  return { text: readFileSync(join(root, 'unpacked/tool'), 'utf8'), beside: readdirSync(store) }
}

test.each([
  ['beside the package, as that of rpm 4 does', BESIDE],
  ['to its output, as that of rpm 6 does', TO_OUTPUT],
])('rpm2archive writes %s, and the package is unpacked', async (_, script) => {
  expect(await unpackedBy(script)).toEqual({ text: 'tool 1.0\n', beside: ['tool.rpm'] })
})

test('rpm2archive fails, and its complaint is the reason', async () => {
  await expect(unpackedBy(`#!/bin/sh\necho '${REFUSED}' >&2\nexit 1\n`)).rejects.toThrow('is no rpm')
})
