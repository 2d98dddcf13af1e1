/**
 * Runs inside a machine: the agent with its real ports, but for the Node, which is in memory. It installs the service of a kubelet, takes
 * back two changes that fail, with a package by the real apt, and finds the kubelet running again after it was killed.
 */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRealPorts } from '../../../src/agent/adapters/real-host.ts'
import { findServiceManager } from '../../../src/agent/adapters/services/find-service-manager.ts'
import { Agent } from '../../../src/agent/loop/agent.ts'
import { DEFAULT_OPTIONS } from '../../../src/agent/options.ts'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { formatDesiredConfig } from '../../../src/protocol/desired-config.ts'
import { contentDigest } from '../../../src/protocol/digest.ts'
import { DEFAULT_PREFIX, namesFor } from '../../../src/protocol/names.ts'
import { FakeNode } from '../../agent/support/fake-node.ts'
import { check } from '../scenario.ts'

const names = namesFor(DEFAULT_PREFIX)
const node = new FakeNode('v1.35.4')
const manager = await findServiceManager()
const ports = createRealPorts({ node, stateDirectory: DEFAULT_OPTIONS.stateDirectory, manager })
const { services } = ports
const stop = new AbortController()
/** A stand-in is up at once, and tells nobody about a runtime: so nothing is waited for. */
const timing = { ...DEFAULT_OPTIONS.timing, stable: 1500, told: 3000, healthy: 30_000 }
const running = new Agent(ports, { ...DEFAULT_OPTIONS, timing }).run(stop.signal)

const FLAGS = '--eviction-hard=memory.available<5% --v=2'
/** No repository is asked: it is packed again from its files. */
const REMOVED = { name: 'tzdata', state: 'absent' }
const TINY = manager === 'runit' ? '/etc/sv/tiny/run' : '/etc/init.d/tiny'
const tinyBefore = readFileSync(TINY, 'utf8')

check('the package is there', isInstalled())
await assign({ maxPods: 110 }, 'Applied')
check('the package was removed', !isInstalled())
const kubelet = await services.show('kubelet.service')
check('the kubelet runs, and is enabled', kubelet.active === 'active' && kubelet.mainPid > 0 && kubelet.enabled, kubelet)
check('the other service runs, and is enabled', await isRunning('tiny.service'))
const args: string[] = JSON.parse(readFileSync('/run/kubelet-arguments.json', 'utf8'))
check(
  'the kubelet has its flags as they are',
  args.includes('--eviction-hard=memory.available<5%') && args.includes('--v=2'),
  args,
)

const { error } = await assign({ maxPods: 13, packages: [] }, 'RolledBack')
check('the package that would have come back is removed again', !isInstalled())
check('a kubelet that does not start is named', error?.reason === 'HealthCheckFailed', error)
check('its own words are in the error', error?.message.includes('thirteen pods bring bad luck') === true, error)
check('the former configuration is back', readFileSync('/var/lib/kubelet/config.yaml', 'utf8').includes('110'))
check('the kubelet runs again', (await services.show('kubelet.service')).active === 'active')

await assign({ maxPods: 110, tiny: '#!/bin/sh\nexit 1\n' }, 'RolledBack')
check('the former script is back', readFileSync(TINY, 'utf8') === tinyBefore)
check('the other service runs again', await isRunning('tiny.service'), await services.show('tiny.service'))

const { mainPid } = await services.show('kubelet.service')
process.kill(mainPid, 'SIGKILL')
for (let look = 0; look < 300 && !(await isOther('kubelet.service', mainPid)); look++) await sleep(100)
check('a kubelet that was killed is started again', await isOther('kubelet.service', mainPid))

node.write(names.desiredConfig, null)
await until((status) => status?.phase === 'Reverted')
check('nothing of the kubelet is left', !existsSync('/etc/kubernetes/kubelet-start') && !existsSync('/etc/init.d/kubelet'))
check('the package is back', isInstalled())
check('the kubelet does not run', (await services.show('kubelet.service')).mainPid === 0)
stop.abort()
await running
console.log(`changes made and taken back by ${manager}`)

/** By its files: dpkg's own word is what the agent goes by. */
function isInstalled(): boolean {
  return existsSync('/usr/share/zoneinfo/Europe/Berlin')
}

interface Change {
  readonly maxPods: number
  readonly tiny?: string
  readonly packages?: readonly object[]
}

async function assign({ maxPods, tiny, packages = [REMOVED] }: Change, phase: 'Applied' | 'RolledBack') {
  const files = tiny === undefined ? [] : [{ path: TINY, content: tiny, mode: '0755' }]
  const units = [{ name: 'tiny.service', enabled: true, state: 'running', restartOn: [TINY] }]
  const host = JSON.stringify({ kubelet: { layout: 'managed' }, files, units, packages })
  const content = {
    flags: FLAGS,
    host,
    config: `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nfailCgroupV1: false\nmaxPods: ${maxPods}\n`,
  }
  const digest = contentDigest(content)
  const id = digest.slice(3, 13)
  node.configMaps.set(`nodewave-system/kubelet-${id}`, { 'kubelet-flags': FLAGS, kubelet: content.config })
  node.configMaps.set(`nodewave-system/host-${id}`, { host })
  const desired = { KUBELET_CONFIG: `kubelet-${id}`, HOST_CONFIG: `host-${id}`, DIGEST: digest, GRANT: 'restart' } as const
  node.write(names.desiredConfig, formatDesiredConfig(desired))
  return until((status) => status?.digest === digest && status.phase === phase)
}

async function until(holds: (status: ReturnType<typeof parseAgentStatus>) => boolean) {
  for (let look = 0; look < 1200; look++) {
    const status = parseAgentStatus(node.annotations[names.status])
    if (status !== undefined && holds(status)) return status
    await sleep(100)
  }
  throw new Error(`the status stays ${node.annotations[names.status]}`)
}

async function isRunning(unit: string): Promise<boolean> {
  const { active, mainPid, enabled } = await services.show(unit)
  return active === 'active' && mainPid > 0 && enabled
}

async function isOther(unit: string, pid: number): Promise<boolean> {
  const state = await services.show(unit)
  return state.active === 'active' && state.mainPid > 0 && state.mainPid !== pid
}
