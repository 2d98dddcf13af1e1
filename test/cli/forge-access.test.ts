import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forgeAccess } from '../../src/cli/controller/forge-access.ts'

function accessWith(token: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'nodewave-'))
  writeFileSync(join(cwd, 'token'), token)
  const repo = 'https://git.example.com/team/fleet.git'
  const access = forgeAccess(
    { statusForge: 'gitea', statusTokenFile: 'token', repo, cwd },
    { permissions: { statuses: 'write' } },
  )
  return { access, cwd }
}

test('a token is read from its file without the line break at its end', async () => {
  expect(await accessWith('one\n').access.token()).toBe('one')
})

test('a token of two lines is refused by the name of its file, and not shown', async () => {
  const { access, cwd } = accessWith('first\nsecond\n')

  await expect(access.token()).rejects.toThrow(new Error(`"${join(cwd, 'token')}": expected one line of ASCII without spaces`))
})
