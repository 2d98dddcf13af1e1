import { parseSshAddress } from '../../gitsync/ssh-address.ts'

/** Where a forge has the repository on the web; undefined for a path on this machine. The port of SSH says nothing of that of the web. */
export function forgeUrl(repo: string): URL | undefined {
  const ssh = parseSshAddress(repo)
  if (ssh) return new URL(`https://${ssh.host}/${ssh.path.replace(/^\/+/, '')}`)
  return /^https?:\/\//.test(repo) && URL.canParse(repo) ? new URL(repo) : undefined
}

/** `group/name` of a repository, as forges have it in the path of its URL. */
export function repositoryName({ pathname }: URL): string {
  return decodeURIComponent(pathname)
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
}
