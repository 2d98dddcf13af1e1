/** The tables of the page on host profiles say of each section what its kinds do. Sections where that depends on the entry are left out. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DEFAULT_OPTIONS } from '../../src/agent/options.ts'
import { statePaths } from '../../src/agent/paths.ts'
import { Kinds } from '../../src/agent/resources/kinds.ts'
import { buildTarget, readBlueprint } from '../../src/agent/resources/target.ts'
import { observeAll } from '../../src/agent/transaction/observe-all.ts'
import { harmlessRepairs, type Plan, plan } from '../../src/agent/transaction/plan.ts'
import type { HostDocument } from '../../src/protocol/host-document.ts'
import { Machine } from '../agent/support/machine.ts'
import { aStaticPod } from '../agent/support/static-pods.ts'
import { AUTHORITY } from '../repo/certificates.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/host-profile.md'), 'utf8')

const ENTRIES: Readonly<Record<string, HostDocument>> = {
  'Users and groups': { groups: [{ name: 'ops' }], users: [{ name: 'deploy', group: 'ops' }] },
  Directories: { directories: [{ path: '/var/lib/cache' }] },
  'Kernel modules': { kernelModules: ['br_netfilter'] },
  'Kernel arguments': { kernelArguments: ['quiet'] },
  Swap: { swap: 'off' },
  Certificates: { certificates: [{ name: 'corp', content: AUTHORITY }] },
  'Static pods': { staticPods: [aStaticPod()] },
  Sysctls: { sysctls: { 'vm.swappiness': '10' } },
}

/** What the agent would do for the entry on a host that has nothing of it. */
async function planOf(document: HostDocument): Promise<Plan> {
  const { host, node } = new Machine({ units: ['containerd.service'] })
  host.kernel.set('vm/swappiness', '30')
  void host.kernel.swapOn({ path: '/dev/sda2', priority: -2 })
  for (const path of ['/etc/default/grub', '/usr/sbin/update-grub']) host.files.put(path, '')
  const { ports } = host.process(node)
  const [kinds, options] = [new Kinds(), DEFAULT_OPTIONS]
  const paths = statePaths(options.stateDirectory)
  const context = { manager: 'systemd', files: ports.files, options, paths, kinds } as const
  const blueprint = await readBlueprint({ host: JSON.stringify(document) }, context)
  const { resources } = await buildTarget(blueprint, { baselines: { list: [], foreign: {} }, files: ports.files, kinds })
  const { findings } = await observeAll(resources, ports)
  return plan(resources, findings)
}

function row(heading: string, name: string): string {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  return section.split(`\n| ${name} | `)[1]?.split('\n')[0] ?? ''
}

test.each(Object.entries(ENTRIES))(
  'the page says of "%s" what they disturb, how they are undone, and whether drift is repaired',
  async (heading, entry) => {
    const whole = await planOf(entry)
    const isExact = whole.steps.every(({ change }) => change.fidelity === 'exact')
    const isRepaired = harmlessRepairs(whole).length > 0
    expect(whole.steps).not.toEqual([])
    expect(row(heading, 'disturbs')).toMatch(new RegExp(`^\`${whole.needs}\``))
    expect(row(heading, 'undo').startsWith(isExact ? 'exact' : 'best effort')).toBe(true)
    expect(row(heading, 'drift').startsWith('reported')).toBe(!isRepaired)
  },
)
