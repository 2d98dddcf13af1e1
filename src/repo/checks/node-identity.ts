import { type Draft, errorAt, type Loaded } from '../draft.ts'
import type { Problem } from '../problem.ts'
import type { Flags, FlagValue } from '../schema/common.ts'
import { parseDuration } from '../schema/values.ts'
import type { Path } from '../source.ts'

/**
 * Flags and fields by which a kubelet no longer is the node that it was: it reports to another Node, or to none, while its own stays
 * Ready for 40 s. No preflight sees that, since the kubelet itself is healthy.
 */
export function checkNodeIdentity({ documents }: Draft): Problem[] {
  const { NodePool, FlagSet, KubeletConfig, NodeOverride } = documents
  return [
    ...[...NodePool.values()].flatMap((pool) => judgeFlags(pool, ['kubelet', 'flags'], { flags: pool.spec.kubelet?.flags })),
    ...[...FlagSet.values()].flatMap((set) => judgeFlags(set, ['flags'], { flags: set.spec.flags })),
    ...[...NodeOverride.values()].flatMap((override) =>
      judgeFlags(override, ['flags'], { flags: override.spec.flags, isOneNode: true }),
    ),
    ...[...KubeletConfig.values()].flatMap((config) => judgeConfig(config, config.spec.config)),
    ...[...NodeOverride.values()].flatMap((override) => judgeConfig(override, override.spec.config ?? {}, { isOneNode: true })),
  ]
}

interface Scope {
  /** Of one node alone, what is its own may be written out. */
  readonly isOneNode?: boolean
}

function judgeFlags(
  document: Loaded<unknown>,
  base: Path,
  { flags = {}, ...scope }: Scope & { readonly flags?: Flags | undefined },
) {
  return Object.entries(flags).flatMap(([name, value]) => {
    const found = FLAG_RULES[name]?.(textOf(value), scope)
    return found === undefined ? [] : [errorAt(document, [...base, name], { reason: 'InvalidValue', ...found })]
  })
}

interface Refusal {
  readonly message: string
  readonly remedy: string
}

type Rule = (value: string, scope: Scope) => Refusal | undefined

const NODE_NAME = /^\{\{\s*node\.name\s*\}\}$/

const FLAG_RULES: Readonly<Record<string, Rule>> = {
  'hostname-override': (value) =>
    // A template that does not end is reported by whoever fills it in.
    NODE_NAME.test(value) || (isTemplate(value) && !value.includes('}}'))
      ? undefined
      : {
          message: `flag --hostname-override: "${value}" makes the kubelet report to another Node than its own`,
          remedy: 'take it out, or write "{{ node.name }}"; a Node is renamed by joining the machine again',
        },
  'node-ip': (value, { isOneNode }) => {
    const addresses = value.split(',').map((address) => address.trim())
    if (addresses.some(isTemplate)) return undefined
    const wrong = addresses.find((address) => !isAddress(address))
    if (wrong !== undefined)
      return { message: `flag --node-ip: "${wrong}" is no IP address`, remedy: 'write "{{ node.internalIP }}"' }
    if (isOneNode || addresses.every((address) => FAMILIES.includes(address))) return undefined
    return {
      message: `flag --node-ip: "${value}" would be the address of every node that uses this`,
      remedy: 'write "{{ node.internalIP }}", "0.0.0.0" or "::", or put it into a NodeOverride',
    }
  },
  'node-status-update-frequency': (value) => rareStatus('flag --node-status-update-frequency', value),
  'provider-id': ownOnly('flag --provider-id'),
  'register-node': (value) =>
    value === 'false'
      ? { message: 'flag --register-node: a node that is deleted could not join again', remedy: 'take it out' }
      : undefined,
}

const MAX_LEASE_SECONDS = 150
/** Milliseconds. */
const MAX_STATUS_PAUSE = 300_000

function judgeConfig(document: Loaded<unknown>, config: Readonly<Record<string, unknown>>, scope: Scope = {}): Problem[] {
  const { providerID, registerNode, nodeLeaseDurationSeconds: lease, nodeStatusUpdateFrequency: update } = config
  const problem = (field: string, found: Refusal | undefined): Problem[] =>
    found === undefined ? [] : [errorAt(document, ['config', field], { reason: 'InvalidValue', ...found })]
  return [
    ...(typeof providerID === 'string' ? problem('providerID', ownOnly('providerID')(providerID, scope)) : []),
    ...(registerNode === false
      ? problem('registerNode', { message: 'registerNode: a node that is deleted could not join again', remedy: 'take it out' })
      : []),
    ...(typeof lease === 'number' && lease > MAX_LEASE_SECONDS
      ? problem('nodeLeaseDurationSeconds', {
          message: `nodeLeaseDurationSeconds: ${lease} renews the lease every ${lease / 4} s; the API server's controllers take a node for dead after 40 s of silence`,
          remedy: `write at most ${MAX_LEASE_SECONDS}; the default is 40`,
        })
      : []),
    ...problem('nodeStatusUpdateFrequency', rareStatus('nodeStatusUpdateFrequency', String(update))),
  ]
}

function rareStatus(what: string, frequency: string): Refusal | undefined {
  if (!/^(?:\d+(?:ms|h|m|s))+$/.test(frequency) || parseDuration(frequency) <= MAX_STATUS_PAUSE) return undefined
  return {
    message: `${what}: ${frequency}: for so long, the Node shows a condition such as Ready that is not true any more`,
    remedy: 'write at most "5m"; the default is 10s',
  }
}

function ownOnly(what: string): Rule {
  return (value, { isOneNode }) =>
    isOneNode || isTemplate(value)
      ? undefined
      : {
          message: `${what}: "${value}" would be that of every node that uses this`,
          remedy: 'write it with a template, or put it into a NodeOverride',
        }
}

/** What chooses a family of addresses, and not an address. */
const FAMILIES = ['0.0.0.0', '::']

function isAddress(text: string): boolean {
  const isV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) && text.split('.').every((part) => Number(part) <= 255)
  return isV4 || (text.includes(':') && /^[0-9a-f:.]+$/i.test(text))
}

function isTemplate(text: string): boolean {
  return text.includes('{{')
}

function textOf(value: FlagValue): string {
  return Array.isArray(value) ? value.join(',') : String(value)
}
