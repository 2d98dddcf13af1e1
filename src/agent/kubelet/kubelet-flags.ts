import { posix } from 'node:path'
import { formatFlagString, splitFlagString } from '../../protocol/flag-string.ts'

/** The value of a flag, `--name=value` or `--name value`; the last one counts, as it does for the kubelet. */
export function flagValue(args: readonly string[], name: string): string | undefined {
  const at = args.findLastIndex((arg) => nameOf(arg) === name)
  const found = args[at]
  if (found === undefined) return undefined
  return found.includes('=') ? found.slice(found.indexOf('=') + 1) : args[at + 1]
}

export function withoutFlag(args: readonly string[], name: string): string[] {
  const isBare = (arg: string | undefined): boolean => arg !== undefined && nameOf(arg) === name && !arg.includes('=')
  return args.filter((arg, at) => nameOf(arg) !== name && !isBare(args[at - 1]))
}

/** The kubelet takes `_` for `-`. */
function nameOf(arg: string): string | undefined {
  return /^--([^=]+)/.exec(arg)?.[1]?.replaceAll('_', '-')
}

/** Parts of a flag string in the order they should count; the kubelet lets the last win. */
export function joinFlags(...parts: readonly (string | undefined)[]): string {
  return parts
    .map((part) => part?.trim() ?? '')
    .filter((part) => part !== '')
    .join(' ')
}

/** Of Git's arguments those that the machine's do not say already: a kubelet does not restart to be given the same flag twice. */
export function flagsToAdd(local: string, ours: string): string {
  const [theirs, wanted] = [valuesByName(local), splitFlagString(ours)]
  const isSaid = (arg: string): boolean => {
    const name = nameOf(arg)
    const isOnly = name !== undefined && wanted.filter((other) => nameOf(other) === name).length === 1
    return isOnly && arg.includes('=') && theirs.get(name)?.at(-1) === arg.slice(arg.indexOf('=') + 1)
  }
  return wanted.some(isSaid) ? formatFlagString(wanted.filter((arg) => !isSaid(arg))) : ours
}

/** Whether a kubelet makes the same of both: the order counts only among arguments of one name. */
export function isSameFlags(a: string, b: string): boolean {
  const [left, right] = [valuesByName(a), valuesByName(b)]
  return (
    left.size === right.size && [...left].every(([name, values]) => JSON.stringify(right.get(name)) === JSON.stringify(values))
  )
}

/** A flag without a value is a boolean that is true. */
function valuesByName(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  const args = splitFlagString(text)
  for (const [at, arg] of args.entries()) {
    const name = nameOf(arg) ?? arg
    const previous = args[at - 1]
    const isValue = !arg.startsWith('-') && previous?.startsWith('--') === true && !previous.includes('=')
    if (isValue) continue
    const next = args[at + 1]
    const value = arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : next === undefined || next.startsWith('-') ? 'true' : next
    found.set(name, [...(found.get(name) ?? []), value])
  }
  return found
}

/** @returns undefined when the kubelet is to serve no health endpoint. */
export function healthzUrl(document: { readonly [key: string]: unknown }, args: readonly string[]): string | undefined {
  const port = Number(flagValue(args, 'healthz-port') ?? document.healthzPort ?? 10248)
  if (port === 0) return undefined
  // An empty address is the default, as it is for the kubelet.
  const address = flagValue(args, 'healthz-bind-address') || document.healthzBindAddress || '127.0.0.1'
  const reachable = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : String(address)
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/healthz`
}

/** @returns the endpoint only when it is named: the kubelet's own default depends on its version. */
export function runtimeEndpoint(document: { readonly [key: string]: unknown }, args: readonly string[]): string | undefined {
  const endpoint = flagValue(args, 'container-runtime-endpoint') ?? document.containerRuntimeEndpoint
  return typeof endpoint === 'string' && endpoint !== '' ? endpoint : undefined
}

/** @returns undefined when the kubelet runs no static pods. */
export function staticPodPath(document: { readonly [key: string]: unknown }, args: readonly string[]): string | undefined {
  const path = flagValue(args, 'pod-manifest-path') ?? document.staticPodPath
  return typeof path === 'string' && path.startsWith('/') ? posix.resolve(path) : undefined
}
