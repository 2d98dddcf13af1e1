import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readText } from '../../src/cli/read-text.ts'

test.each([
  ['UTF-8', Buffer.from('{"a": "ü"}')],
  ['UTF-8 with a byte order mark', Buffer.from('\uFEFF{"a": "ü"}')],
  ['UTF-16, as PowerShell writes it', Buffer.from('\uFEFF{"a": "ü"}', 'utf16le')],
])('a file is read as text when it is %s', async (_, bytes) => {
  const path = join(await mkdtemp(join(tmpdir(), 'nodewave-text-')), 'nodes.json')
  await writeFile(path, bytes)

  expect(await readText(path)).toBe('{"a": "ü"}')
})
