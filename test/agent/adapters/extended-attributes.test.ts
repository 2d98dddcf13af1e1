/** Extended attributes and ACLs of files, by tar, which every host has: Node neither reads nor writes them. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'
import { makeTar } from '../support/make-tar.ts'

const LABEL = 'xattr.user.label=kubelet_exec_t'
/** The group may not read, uid 54321 may. */
const ACL = 'acl.access=user::rw-,user:54321:r--,group::---,mask::r--,other::---'
const TAR = ['--xattrs', '--xattrs-include=*', '--acls', '--numeric-owner']

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodewave-attributes-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const files = () => nodeFiles(new HostTree(root, { own: '/state' }))

function put(name: string): void {
  const records = [LABEL, ACL.replaceAll(',', '\n')].map((text) => record(`SCHILY.${text}\n`)).join('')
  const input = makeTar([
    { path: 'attributes', type: 'x', content: records },
    { path: name, content: 'theirs', mode: 0o640 },
  ])
  execFileSync('tar', [...TAR, '-xf', '-', '-C', root], { input, stdio: ['pipe', 'ignore', 'ignore'] })
}

/** As pax has them: the length counts itself. */
function record(text: string): string {
  const length = text.length + 3
  return `${length < 100 ? length : length + 1} ${text}`
}

function attributesOf(name: string): string[] {
  const packed = execFileSync('tar', [...TAR, '-cf', '-', '-C', root, name]).toString('latin1')
  return [LABEL, ACL].filter((text) => packed.includes(`SCHILY.${text.replaceAll(',', '\n')}\n`))
}

test('nodeFiles loses extended attributes and the ACL of a file when it replaces it', async ({ skip }) => {
  put('a.conf')
  skip(attributesOf('a.conf').length < 2, 'neither tar nor the file system here has them')
  await files().writeAtomic('/a.conf', Buffer.from('mine'))

  expect(attributesOf('a.conf')).toEqual([])
  expect(statSync(join(root, 'a.conf')).mode & 0o7777).toBe(0o640)
})

test('nodeFiles brings extended attributes and the ACL of a replaced file back when the change is undone', async ({ skip }) => {
  put('a.conf')
  skip(attributesOf('a.conf').length < 2, 'neither tar nor the file system here has them')
  const { uid, gid } = statSync(join(root, 'a.conf'))
  await files().keep('/a.conf', '/state/kept')
  await files().writeAtomic('/a.conf', Buffer.from('mine'))
  await files().restore('/state/kept', '/a.conf', { mode: 0o640, uid, gid })

  expect(attributesOf('a.conf')).toEqual([LABEL, ACL])
})
