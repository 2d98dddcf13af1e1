import { constants, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { open } from '../../src/kube/file-calls.ts'

const folder = mkdtempSync(join(tmpdir(), 'file-calls-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, 'file')
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC

test('open file writes piece after piece, appends, and changes its mode', async () => {
  {
    await using file = await open(path, NEW, 0o600)
    await file.writeFile(Buffer.from('one '))
    await file.writeFile('two ')
    await file.appendFile('three')
    await file.chmod(0o640)
    await file.sync()
    await file.datasync()
    expect((await file.stat()).size).toBe(13)
  }

  expect(readFileSync(path, 'utf8')).toBe('one two three')
  expect(statSync(path).mode & 0o777).toBe(0o640)
})

test('open file reads on from where the last read ended, or from where it is told', async () => {
  writeFileSync(path, '0123456789')
  await using file = await open(path, constants.O_RDONLY)
  const buffer = Buffer.alloc(4)

  expect(await file.read(buffer, 0, 4)).toMatchObject({ bytesRead: 4 })
  expect(buffer.toString()).toBe('0123')
  await file.read(buffer, 0, 2, 8)
  expect(buffer.toString()).toBe('8923')
  expect((await file.readFile()).toString()).toBe('456789')
})

test('a file that is missing is said as the system says it', async () => {
  await expect(open(join(folder, 'none'), constants.O_RDONLY)).rejects.toMatchObject({ code: 'ENOENT' })
})
