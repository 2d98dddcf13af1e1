import { expect, test } from 'vitest'
import type { PackageManager } from '../../../src/agent/package-manager.ts'
import type { HostHands } from '../../../src/agent/resources/kind.ts'
import { packageUndo } from '../../../src/agent/resources/package-undo.ts'

const BEFORE = { name: 'kubelet', version: '1.36.2', held: true, automatic: false }
const KUBELET = { version: '1.36.2', architecture: 'amd64', complete: true, held: true, automatic: false }

/** Whether the undo of a change of kubelet is done on a host that has this of it. */
async function isUndone(wanted: { readonly version?: null }, found: typeof KUBELET | undefined) {
  const packages: Partial<PackageManager> = { installed: async () => found }
  const data = { packages: [{ ...BEFORE, ...wanted }], files: [], leftovers: [] }
  return packageUndo.isUndone(data, { packages } as HostHands)
}

test('the undo of a package is done when its version and its hold are as before', async () => {
  expect(await isUndone({}, KUBELET)).toBe(true)
})

test('the undo of a package is not done while its version is another', async () => {
  expect(await isUndone({}, { ...KUBELET, version: '1.36.3' })).toBe(false)
})

test('the undo of a package is not done while its hold is another', async () => {
  expect(await isUndone({}, { ...KUBELET, held: false })).toBe(false)
})

test('the undo of a package that was not installed is done when it is gone, whatever its hold was', async () => {
  expect(await isUndone({ version: null }, undefined)).toBe(true)
  expect(await isUndone({ version: null }, KUBELET)).toBe(false)
})
