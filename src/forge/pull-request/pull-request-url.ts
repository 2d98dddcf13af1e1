export type ForgeKind = 'github' | 'gitea' | 'gitlab'

export interface PullRequestPlace {
  readonly forge: ForgeKind
  /** Of the API. */
  readonly api: string
  /** Of the repository, for Git. */
  readonly clone: string
  /** `group/name`. */
  readonly repository: string
  readonly number: number
}

const SHAPES: readonly { readonly forge: ForgeKind; readonly path: RegExp }[] = [
  { forge: 'gitlab', path: /^(?<root>)\/(?<repository>[^/]+(?:\/[^/]+)+)\/-\/merge_requests\/(?<number>\d+)\/?$/ },
  { forge: 'github', path: /^(?<root>)\/(?<repository>[^/]+\/[^/]+)\/pull\/(?<number>\d+)\/?$/ },
  { forge: 'gitea', path: /^(?<root>.*?)\/(?<repository>[^/]+\/[^/]+)\/pulls\/(?<number>\d+)\/?$/ },
]

/** What the address of a pull request says: each forge writes it in a way of its own. @returns undefined for another URL */
export function readPullRequestUrl(text: string): PullRequestPlace | undefined {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return undefined
  const { origin, host, pathname } = new URL(text)
  for (const { forge, path } of SHAPES) {
    const { root = '', repository = '', number = '' } = path.exec(pathname)?.groups ?? {}
    if (number === '') continue
    const web = `${origin}${root}`
    return {
      forge,
      api: apiOf(forge, { host, web }),
      clone: `${web}/${repository}.git`,
      ...named(repository),
      number: Number(number),
    }
  }
  return undefined
}

function named(repository: string): Pick<PullRequestPlace, 'repository'> {
  return { repository: decodeURIComponent(repository) }
}

function apiOf(forge: ForgeKind, { host, web }: { readonly host: string; readonly web: string }): string {
  if (forge === 'github') return host === 'github.com' ? 'https://api.github.com' : `${web}/api/v3`
  return `${web}/api/${forge === 'gitlab' ? 'v4' : 'v1'}`
}
