/** The Kubernetes release whose behaviour the embedded server follows, and that clients see. */
export const KUBERNETES_VERSION = 'v1.36.3'

const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.')

export const VERSION = {
  major,
  minor,
  gitVersion: KUBERNETES_VERSION,
  gitCommit: 'embedded',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'embedded/node',
}
