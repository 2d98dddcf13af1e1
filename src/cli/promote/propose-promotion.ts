import { posix, resolve } from 'node:path'
import { proposeOn } from '../../forge/pull-request/propose-change.ts'
import type { ForgeKind } from '../../forge/pull-request/pull-request-url.ts'
import { locateRepo } from '../../gitsync/locate-repo.ts'
import type { CliIo } from '../cli-io.ts'
import { forgeUrl, repositoryName } from '../controller/forge-url.ts'
import { githubApi } from '../controller/github-app-options.ts'
import { forgeToken } from '../plan/forge-clients.ts'
import { readFiles } from '../read-fleet.ts'
import { type CarriedVersion, carryVersion, type NamedPool, readNamedPool, textOf } from './carry-version.ts'

export interface PromotionOptions {
  /** URL of the repository in its forge. */
  readonly pr: string
  readonly forge?: ForgeKind | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Folder of the fleet here. */
  readonly repo: string
  readonly base: string
  readonly insecureHttp?: boolean | undefined
}

/** Milliseconds for all that is asked of the forge. */
const DEADLINE = 120_000

/** Opens a pull request that carries the version of one pool to another. @throws {Error} */
export async function proposePromotion(io: CliIo, options: PromotionOptions): Promise<void> {
  const { from, to, forge, base } = options
  const missing = (['forge', 'from', 'to'] as const).flatMap((name) => (options[name] === undefined ? [`--${name}`] : []))
  if (from === undefined || to === undefined || forge === undefined)
    throw new Error(`--pr needs ${missing.join(', ')}; example: --forge gitea --from staging/workers --to production/workers`)
  const [source, target] = [readNamedPool(from), readNamedPool(to)]
  const carried = carryVersion(await readFiles(io, { path: options.repo }), { from: source, to: target })
  if (carried === undefined) return io.stdout(`no change: ${textOf(target)} has the version of ${textOf(source)}\n`)
  const place = placeAt(options.pr, forge)
  const token = forgeToken(io, place, { insecureHttp: options.insecureHttp ?? false })
  const { folder } = await locateRepo(resolve(io.cwd, options.repo))
  const branch = `nodewave/promote-${textOf(target).replace('/', '-')}-${carried.version}`
  const change = {
    ...{ base, branch, path: posix.join(folder, carried.path), before: carried.before, after: carried.after },
    title: `${textOf(target)}: kubelet ${carried.version}`,
    body: bodyOf(carried, { source, target }),
  }
  const access = { url: place.api, repository: place.repository, token: async () => token, now: io.now }
  const url = await proposeOn(forge, access)(change, AbortSignal.timeout(DEADLINE))
  io.stdout(
    url === undefined ? `no change: branch "${branch}" is there already; see its pull request, or delete it\n` : `${url}\n`,
  )
}

function placeAt(url: string, forge: ForgeKind) {
  const web = forgeUrl(url)
  if (web === undefined)
    throw new Error(`--pr "${url}": expected the URL of the repository, such as https://git.example.com/platform/fleet`)
  const api = forge === 'github' ? githubApi(web) : `${web.origin}/api/${forge === 'gitlab' ? 'v4' : 'v1'}`
  return { api, repository: repositoryName(web) }
}

function bodyOf(
  { from, version, path }: CarriedVersion,
  { source, target }: { readonly source: NamedPool; readonly target: NamedPool },
): string {
  return `Pool \`${textOf(source)}\` has kubelet ${version}. This change brings it from ${from} to pool \`${textOf(target)}\`, in \`${path}\`.\n\nOpened by \`nodewave promote --pr\`.\n`
}
