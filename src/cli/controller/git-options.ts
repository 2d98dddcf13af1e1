import { type Command, InvalidArgumentError, Option } from 'commander'
import { REMOTE_LIMITS, type RemoteLimits } from '../../gitsync/remote-source.ts'

/** What a repository at a URL may cost, and how far its server is trusted. */
export interface GitOptions {
  readonly insecureHttp?: boolean
  readonly gitMaxPack?: number
  readonly gitMaxObject?: number
  readonly gitMaxUnpacked?: number
  readonly gitMaxObjects?: number
  readonly gitTimeout?: number
}

export function addGitOptions(command: Command, parseDuration: (text: string) => number): Command {
  const { maxBytes, maxObjectBytes, maxUnpackedBytes, maxObjects, deadline } = REMOTE_LIMITS
  const size = (flag: string, { is, about }: { is: number; about: string }) =>
    new Option(`--git-${flag} <size>`, about).argParser(parseSize).default(is, formatSize(is))
  return command
    .addOption(new Option('--insecure-http', 'send credentials to an http:// URL too').default(false, 'refuse to'))
    .addOption(size('max-pack', { is: maxBytes, about: 'largest answer of the repository' }))
    .addOption(size('max-object', { is: maxObjectBytes, about: 'largest object in it, unpacked' }))
    .addOption(size('max-unpacked', { is: maxUnpackedBytes, about: 'total size of all objects in it, unpacked' }))
    .addOption(new Option('--git-max-objects <count>', 'number of objects in it').argParser(parseCount).default(maxObjects))
    .addOption(
      new Option('--git-timeout <duration>', 'timeout of one request to the repository')
        .argParser(parseDuration)
        .default(deadline, `${deadline / 60_000}m`),
    )
}

/** Those that options name. */
export function remoteLimitsOf(options: GitOptions): Omit<RemoteLimits, 'maxPacks' | 'maxFetches'> {
  return {
    timeout: REMOTE_LIMITS.timeout,
    deadline: options.gitTimeout ?? REMOTE_LIMITS.deadline,
    maxBytes: options.gitMaxPack ?? REMOTE_LIMITS.maxBytes,
    maxObjectBytes: options.gitMaxObject ?? REMOTE_LIMITS.maxObjectBytes,
    maxUnpackedBytes: options.gitMaxUnpacked ?? REMOTE_LIMITS.maxUnpackedBytes,
    maxObjects: options.gitMaxObjects ?? REMOTE_LIMITS.maxObjects,
  }
}

const UNITS = { Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 } as const

function parseSize(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})(Ki|Mi|Gi)$/.exec(text) ?? []
  if (count === undefined) throw new InvalidArgumentError('expected a size such as 512Ki, 64Mi or 1Gi')
  return Number(count) * UNITS[unit as keyof typeof UNITS]
}

function formatSize(bytes: number): string {
  return `${bytes / UNITS.Mi}Mi`
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a whole number of at least 1')
}
