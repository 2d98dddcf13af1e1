/** Where a repository is, for SSH. */
export interface SshAddress {
  readonly username: string
  readonly host: string
  readonly port: number
  /** As the server gets it: of an address without `ssh://`, relative to the home of the user. */
  readonly path: string
}

const SHORT = /^(?:([^@/:\s]+)@)?(\[[0-9a-f:.]+\]|[^@/:\s[\]]+):(?!\/\/)([^\s]+)$/i

/** `ssh://git@host:2222/group/fleet.git`, or `git@host:group/fleet.git`; undefined when the text is neither. */
export function parseSshAddress(text: string): SshAddress | undefined {
  return /^ssh:\/\//.test(text) ? fromUrl(text) : fromShort(text)
}

function fromUrl(text: string): SshAddress | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url?.hostname || url.password || url.search || url.hash || url.pathname.length < 2) return undefined
  const path = decodeURIComponent(url.pathname).replace(/^\/(?=~)/, '')
  return {
    username: decodeURIComponent(url.username) || 'git',
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 22),
    path,
  }
}

/** A path without a user is one on this machine, as of a drive or of a file with a colon. */
function fromShort(text: string): SshAddress | undefined {
  const [, username, host = '', path = ''] = SHORT.exec(text) ?? []
  return username ? { username, host: host.replace(/^\[(.*)\]$/, '$1'), port: 22, path } : undefined
}
