import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { groupUseAt, procKernel } from '../../../src/agent/adapters/proc-kernel.ts'
import { reservedGroups } from '../../../src/agent/kubelet/reserved-groups.ts'
import { splitFlagString } from '../../../src/protocol/flag-string.ts'
import { Machine } from '../support/machine.ts'

const MIB = 2 ** 20
const SYSTEM = '/system.slice'
const ENFORCED = 'enforceNodeAllocatable: [pods, system-reserved]\nsystemReservedCgroup: /system.slice\n'

let root = ''
afterEach(() => rmSync(root, { recursive: true, force: true }))

function machineThatUses({ memory = 700 * MIB, processes = 180 }): Machine {
  const machine = new Machine()
  machine.host.kernel.groups.set(SYSTEM, { memory, processes })
  machine.start()
  return machine
}

test.each([
  [
    'memory',
    'systemReserved: {memory: 200Mi}\n',
    'its processes use 700 MiB of memory, and 200 MiB are reserved, and the kernel would end them',
  ],
  ['pid', 'systemReserved: {memory: 1Gi, pid: 100}\n', 'it has 180 processes and threads, and 100 are reserved'],
])('agent refuses to limit a control group to less %s than it uses, and disturbs nothing', async (_, reserved, why) => {
  const machine = machineThatUses({})
  const { mainPid } = await machine.host.services.show('kubelet.service')
  const before = machine.hostFiles()
  machine.assign({ config: `${ENFORCED}${reserved}` })

  const { error } = await machine.until('RolledBack', 'Failed')

  expect(error?.reason).toBe('ReservedBelowUse')
  expect(error?.message).toContain(`limit the control group "/system.slice" by systemReserved: ${why}`)
  expect(machine.hostFiles()).toEqual(before)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})

test.each([
  ['reserves as much as the group uses', `${ENFORCED}systemReserved: {memory: 700Mi, pid: 180}\n`],
  ['reserves less and enforces none of it', 'systemReserved: {memory: 200Mi}\nsystemReservedCgroup: /system.slice\n'],
  [
    'names a group that is not there',
    'enforceNodeAllocatable: [kube-reserved]\nkubeReservedCgroup: /none\nkubeReserved: {memory: 1Mi}\n',
  ],
  ['reserves CPUs alone', `${ENFORCED}systemReserved: {cpu: 100m}\n`],
])('agent applies a configuration that %s', async (_, config) => {
  const machine = machineThatUses({})
  const digest = machine.assign({ config })

  expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('error')
})

test('reservations are read from flags, which win over fields', () => {
  const args = splitFlagString(
    '--enforce-node-allocatable=pods,kube-reserved --kube-reserved=memory=1Gi,pid=500 --kube-reserved-cgroup=/kube.slice',
  )
  const document = { enforceNodeAllocatable: ['system-reserved'], systemReservedCgroup: SYSTEM, kubeReserved: { memory: '1Mi' } }

  expect(reservedGroups({ args, document })).toEqual([
    { group: '/kube.slice', field: 'kubeReserved', memory: 1024 * MIB, processes: 500 },
  ])
})

test('use of a control group is that of its processes, and not what is cached for them', async () => {
  root = mkdtempSync(join(tmpdir(), 'nodewave-groups-'))
  mkdirSync(join(root, 'memory/system.slice'), { recursive: true })
  mkdirSync(join(root, 'pids/system.slice'), { recursive: true })
  writeFileSync(join(root, 'memory/system.slice/memory.stat'), 'cache 5000\nrss 10\ntotal_cache 9000\ntotal_rss 4096\n')
  writeFileSync(join(root, 'pids/system.slice/pids.current'), '12\n')

  expect(await groupUseAt(root, SYSTEM)).toEqual({ memory: 4096, processes: 12 })
  expect(await groupUseAt(root, '/../../etc')).toBeUndefined()
  expect(await groupUseAt(root, '/none')).toBeUndefined()
})

test('procKernel counts what runs in the root of the control groups of this machine', async ({ skip }) => {
  const use = await procKernel().groupUse('/')
  skip(use?.memory === undefined, 'control groups of this machine do not count memory')
  expect(use?.memory).toBeGreaterThan(0)
})
