import { HIDDEN_VALUE } from '../protocol/host-inventory.ts'
import { quoteFlags } from '../render/quote-flags.ts'
import type { FlagValue } from '../repo/schema/common.ts'
import { type ApiNodeFacts, type Remark, remark } from './subject.ts'

export interface DescribedFlags {
  readonly flags: Readonly<Record<string, FlagValue>>
  readonly remarks: readonly Remark[]
}

const NAME = /^[a-z0-9][a-z0-9-]*$/
/** Each would be a fault in a fleet, whatever this node does with it. */
const IDENTITY: Readonly<Record<string, (value: string) => boolean>> = {
  'register-node': (value) => value === 'false',
  'provider-id': () => true,
  'hostname-override': (value) => !value.includes('{{'),
  'node-ip': (value) => !value.includes('{{') && value !== '0.0.0.0' && value !== '::',
}
/** Flags whose maps read better as maps. */
const MAPS = ['node-labels', 'feature-gates', 'kube-reserved', 'system-reserved', 'eviction-hard', 'eviction-soft']

/** Flags as the repository writes them, such that they mean what the arguments mean. */
export function describeFlags(args: readonly string[], node: ApiNodeFacts): DescribedFlags {
  const flags: Record<string, FlagValue> = {}
  const remarks: Remark[] = []
  for (const [name, values] of valuesByName(args)) {
    const [value = ''] = values
    const template = templateOf(value, node)
    const why = whyNot(name, template === value ? values : [template])
    if (why === undefined) flags[name] = template === value ? flagValueOf(name, value) : template
    else
      remarks.push(
        remark('kubelet', `--${name}=${values.join(` --${name}=`)}`, {
          why,
          remedy: 'it stays on the host; write it here in another form when you want to manage it',
        }),
      )
  }
  return { flags, remarks }
}

function whyNot(name: string, values: readonly string[]): string | undefined {
  const [value = ''] = values
  if (!NAME.test(name)) return 'the repository knows no flag of such a name'
  if (values.length > 1) return 'the flag stands there more than once'
  if (value === HIDDEN_VALUE) return 'it holds credentials'
  if (own(IDENTITY, name)?.(value)) return 'it is the identity of one node'
  return undefined
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** What is a fact of the node is written as one: then equal nodes are equal. */
function templateOf(value: string, { name, internalIP }: ApiNodeFacts): string {
  if (value === name) return '{{ node.name }}'
  return value === internalIP ? '{{ node.internalIP }}' : value
}

/** As a person writes it, where that comes out as the same text. */
function flagValueOf(name: string, value: string): FlagValue {
  const candidates: FlagValue[] = [...(MAPS.includes(name) ? [mapOf(value)] : []), ...scalarsOf(value)]
  return candidates.find((candidate) => rendersAs(name, candidate) === `--${name}=${value}`) ?? value
}

function scalarsOf(value: string): FlagValue[] {
  if (value === 'true' || value === 'false') return [value === 'true']
  return /^-?\d{1,15}$/.test(value) ? [Number(value)] : []
}

function mapOf(value: string): Record<string, string> {
  const pairs = value.split(',').map((pair) => /^([^=<]*)[=<](.*)$/.exec(pair))
  return Object.fromEntries(pairs.map((match) => [match?.[1] ?? '', match?.[2] ?? '']))
}

function rendersAs(name: string, value: FlagValue): string | undefined {
  try {
    return quoteFlags({ [name]: value })
  } catch {
    return undefined
  }
}

/** A flag without a value is a boolean that is true; the kubelet takes `_` for `-`. */
export function valuesByName(args: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (let at = 0; at < args.length; at++) {
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(args[at] ?? '') ?? []
    if (name === undefined) continue
    const key = name.replaceAll('_', '-')
    const next = args[at + 1]
    const isBare = value === undefined && (next === undefined || next.startsWith('-'))
    found.set(key, [...(found.get(key) ?? []), value ?? (isBare ? 'true' : (next ?? ''))])
  }
  return found
}
