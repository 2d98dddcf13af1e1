import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { RpmDatabase } from '../../../src/agent/adapters/rpm/rpm-database.ts'

const root = mkdtempSync(join(tmpdir(), 'nodewave-rpm-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A database whose front program wrote the number of this process into its lock file. */
function databaseWith(names: RegExp): RpmDatabase {
  writeFileSync(join(root, 'front.pid'), `${process.pid}\n`)
  const front = { lock: { path: '/front.pid', names }, reasonFiles: [], automatic: async () => new Set<string>() }
  const run = () => Promise.reject(new Error('run a program: there is none'))
  return new RpmDatabase({ place: (path) => join(root, path), run, front: () => front })
}

test('the database is held by the process that its lock file names', async () => {
  expect(await databaseWith(/./).holder()).toContain(`(pid ${process.pid})`)
})

test('the database is held by nobody when the process of that number is another program', async () => {
  expect(await databaseWith(/^dnf/).holder()).toBeUndefined()
})
