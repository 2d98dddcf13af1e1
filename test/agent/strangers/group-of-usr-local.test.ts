import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'
import { KubeletDropIns } from '../../../src/agent/kubelet/config-drop-ins.ts'

/** As on Debian: whoever is in the group may write there. */
const STAFF = 50

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'nodewave-staff-')))
  mkdirSync(join(root, 'usr/local/lib/systemd/system/kubelet.service.d'), { recursive: true })
  for (const path of ['usr/local', 'usr/local/lib']) {
    chownSync(join(root, path), 0, STAFF)
    chmodSync(join(root, path), 0o2775)
  }
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('KubeletDropIns looks past a directory of units that others than root may write', async () => {
  const dropIn = join(root, 'usr/local/lib/systemd/system/kubelet.service.d/a.conf')
  writeFileSync(dropIn, '[Service]\nEnvironment=A=--config-dir=/home/staff\n')

  expect(await new KubeletDropIns(nodeFiles(new HostTree(root))).directory([])).toBeUndefined()
})
