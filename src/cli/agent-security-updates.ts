import { securityUpdates } from '../agent/adapters/packages/security-updates.ts'
import { createRealPorts } from '../agent/adapters/real-host.ts'
import { unreachableNodeApi } from '../agent/adapters/unreachable-node-api.ts'
import type { PackageStep } from '../agent/package-manager.ts'
import { statePaths } from '../agent/paths.ts'
import { AgentState } from '../agent/state/state.ts'
import { byText } from '../protocol/by-text.ts'
import { type HostPackage, parseHostDocument } from '../protocol/host-document.ts'
import type { AgentArguments } from './agent-arguments.ts'

const NO_API = unreachableNodeApi(new Error('reach the API server: security updates are listed without it'))

/** @returns a HostProfile with all that this host has pinned of them so far, and what its package manager offers now */
export async function securityProfileText({ root, logFormat, options }: AgentArguments, node: string): Promise<string> {
  // Without a state directory: with one of its own it would close that to others, and it is to change nothing.
  const { files } = createRealPorts({ node: NO_API, root, logFormat, manager: 'systemd' })
  const state = new AgentState(statePaths(options.stateDirectory), files)
  const digest = await state.digest('active')
  const active = digest === undefined ? undefined : await state.restore(digest)
  const host = active?.content.host
  const pinned = host === undefined ? [] : (parseHostDocument(host).packages ?? [])
  return profileText(node, { pinned, offered: await securityUpdates(root) })
}

/**
 * Pure. What was pinned before stays in the list: what the list no longer names would go back to the version from before nodewave. A package
 * that the repository pins otherwise is none of its business.
 */
export function profileText(
  node: string,
  { pinned, offered }: { readonly pinned: readonly HostPackage[]; readonly offered: readonly PackageStep[] },
): string {
  const others = new Set(pinned.filter(({ ifInstalled }) => !ifInstalled).map(({ name }) => name))
  const before = pinned.flatMap(({ name, version, ifInstalled }): [string, Pin][] =>
    ifInstalled && version !== undefined ? [[name, { version, was: version }]] : [],
  )
  const pins = new Map<string, Pin>(before)
  for (const { name, to, from } of offered) if (to !== undefined && !others.has(name)) pins.set(name, { version: to, was: from })
  const lines = [...pins].sort(byText(([key]) => key)).map(([name, pin]) => lineOf(name, pin))
  const packages = lines.length === 0 ? ['  packages: []'] : ['  packages:', ...lines]
  return [`# Security updates, as the package manager of ${node} offers them.`, ...HEAD, ...packages, ''].join('\n')
}

interface Pin {
  readonly version: string
  /** What is installed. */
  readonly was: string | undefined
}

const HEAD = ['apiVersion: nodewave.io/v1alpha1', 'kind: HostProfile', 'metadata: {name: security-updates}', 'spec:']

function lineOf(name: string, { version, was }: Pin): string {
  const remark = was === undefined || was === version ? '' : ` # ${was} is installed`
  return `    - {name: ${name}, version: "${version}", ifInstalled: true}${remark}`
}
