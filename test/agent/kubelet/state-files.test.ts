import { expect, test } from 'vitest'
import { type KubeletSettings, refusalOf, stateFilesOf } from '../../../src/agent/kubelet/state-files.ts'

const CPU = '/var/lib/kubelet/cpu_manager_state'
const MEMORY = '/var/lib/kubelet/memory_manager_state'

/** As kubelet 1.36 writes them. */
const CPU_NONE = { policyName: 'none', defaultCpuSet: '', checksum: 1353318690 }
const CPU_STATIC = { policyName: 'static', defaultCpuSet: '0-1,3', entries: { 'a-pod': { web: '2' } }, checksum: 1 }
const MEMORY_STATIC = {
  policyName: 'Static',
  machineState: {
    0: {
      numberOfAssignments: 0,
      memoryMap: {
        'hugepages-2Mi': { total: 0, systemReserved: 0, allocatable: 0, reserved: 0, free: 0 },
        memory: { total: 8e9, systemReserved: 1073741824, allocatable: 7e9, reserved: 0, free: 7e9 },
      },
      cells: [0],
    },
  },
  checksum: 1,
}

function refusal(path: string, state: object | string, document: KubeletSettings['document'], args: readonly string[] = []) {
  return refusalOf(path, { text: typeof state === 'string' ? state : JSON.stringify(state), kubelet: { document, args } })
}

test('kubelet has its state files below its root directory', () => {
  expect(stateFilesOf({ args: [] })).toEqual([CPU, MEMORY])
  expect(stateFilesOf({ args: ['--root-dir=/data/kubelet/'] })).toEqual([
    '/data/kubelet/cpu_manager_state',
    '/data/kubelet/memory_manager_state',
  ])
  expect(stateFilesOf({ args: ['--root-dir=data'] })).toEqual([])
})

test.each([
  ['static over none', CPU, CPU_NONE, { cpuManagerPolicy: 'static' }, []],
  ['none by default over static', CPU, CPU_STATIC, {}, []],
  ['static by a flag over none', CPU, CPU_NONE, { cpuManagerPolicy: 'none' }, ['--cpu-manager-policy=static']],
  ['Static memory over None', MEMORY, { policyName: 'None', machineState: {} }, { memoryManagerPolicy: 'Static' }, []],
  ['None by default over Static memory', MEMORY, MEMORY_STATIC, {}, []],
] as const)('kubelet refuses the state of another policy: %s', (_, path, state, document, args) => {
  expect(refusal(path, state, document, args)?.because).toMatch(/^its policy is "\w+", and that of the configuration "\w+"$/)
})

test.each([
  ['none', CPU, CPU_NONE, {}, []],
  ['static', CPU, CPU_STATIC, { cpuManagerPolicy: 'static' }, []],
  ['static with an amount of reserved CPUs', CPU, CPU_STATIC, { cpuManagerPolicy: 'static', kubeReserved: { cpu: '3' } }, []],
  ['static with reserved CPUs that pods share', CPU, CPU_STATIC, { cpuManagerPolicy: 'static', reservedSystemCPUs: '0,3' }, []],
  [
    'static with strictly reserved CPUs that no pod has',
    CPU,
    CPU_STATIC,
    { cpuManagerPolicy: 'static', reservedSystemCPUs: '4-5', cpuManagerPolicyOptions: { 'strict-cpu-reservation': 'true' } },
    [],
  ],
  ['none with any reserved CPUs', CPU, CPU_NONE, { reservedSystemCPUs: '0-7' }, []],
  [
    'static over a set that is still empty',
    CPU,
    { policyName: 'static', defaultCpuSet: '' },
    { cpuManagerPolicy: 'static', reservedSystemCPUs: '0' },
    [],
  ],
  ['None', MEMORY, { policyName: 'None', machineState: {} }, { memoryManagerPolicy: 'None' }, []],
  [
    'Static memory with equal reservations',
    MEMORY,
    MEMORY_STATIC,
    { memoryManagerPolicy: 'Static', reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }] },
    [],
  ],
  [
    'an amount that is not understood',
    MEMORY,
    MEMORY_STATIC,
    { memoryManagerPolicy: 'Static', reservedMemory: [{ numaNode: 0, limits: { memory: '1e9' } }] },
    [],
  ],
  ['reserved memory by a flag', MEMORY, MEMORY_STATIC, { memoryManagerPolicy: 'Static' }, ['--reserved-memory=0:memory=2Gi']],
  ['a torn file', CPU, '{"policyNa', { cpuManagerPolicy: 'static' }, []],
  ['a file without a policy', CPU, '{}', { cpuManagerPolicy: 'static' }, []],
] as const)('kubelet starts over a state, or nothing shows that it does not: %s', (_, path, state, document, args) => {
  expect(refusal(path, state, document, args)).toBeUndefined()
})

test.each([
  ['a reserved CPU that a container has', { reservedSystemCPUs: '0-2' }, 'CPUs "0-2" are reserved, and pods share "0-1,3"'],
  [
    'strictly reserved CPUs that pods share',
    { reservedSystemCPUs: '0', cpuManagerPolicyOptions: { 'strict-cpu-reservation': 'true' } },
    'CPUs "0" are reserved, and pods share "0-1,3"',
  ],
  [
    'a strictly reserved CPU that a container has',
    { reservedSystemCPUs: '2', cpuManagerPolicyOptions: { 'strict-cpu-reservation': 'true' } },
    'CPUs "2" are reserved, and pods share "0-1,3"',
  ],
])('kubelet refuses a static state with %s', (_, document, because) => {
  expect(refusal(CPU, CPU_STATIC, { cpuManagerPolicy: 'static', ...document })).toEqual({ because, isInUse: true })
})

test.each([
  [
    'another amount',
    [{ numaNode: 0, limits: { memory: '2Gi' } }],
    '1073741824 bytes are reserved of memory of NUMA node 0, and 2147483648 by the configuration',
  ],
  ['none', [], '1073741824 bytes are reserved of memory of NUMA node 0, and 0 by the configuration'],
  [
    'huge pages',
    [{ numaNode: 0, limits: { memory: 1073741824, 'hugepages-2Mi': '4Mi' } }],
    '0 bytes are reserved of hugepages-2Mi of NUMA node 0, and 4194304 by the configuration',
  ],
])('kubelet refuses a state of Static memory with reservations of %s', (_, reservedMemory, because) => {
  expect(refusal(MEMORY, MEMORY_STATIC, { memoryManagerPolicy: 'Static', reservedMemory })).toEqual({ because, isInUse: false })
})

test('state is in use when a container has CPUs by it', () => {
  expect(refusal(CPU, CPU_STATIC, {})?.isInUse).toBe(true)
  expect(refusal(CPU, { ...CPU_STATIC, entries: {} }, {})?.isInUse).toBe(false)
  expect(refusal(CPU, CPU_NONE, { cpuManagerPolicy: 'static' })?.isInUse).toBe(false)
})
