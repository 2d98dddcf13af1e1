/** `1.36.3`, `v1.36.3`; `v1.3.2_coreos.0` is how an environment file spells `v1.3.2+coreos.0`. */
export function sameVersion(a: string, b: string): boolean {
  return bareVersion(a) === bareVersion(b)
}

export function bareVersion(version: string): string {
  return version.replace(/^v/, '').replaceAll('_', '+')
}
