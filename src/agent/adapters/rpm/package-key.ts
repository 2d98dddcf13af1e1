/** Architectures of which a host of 64 bits has packages beside its own. */
const SECONDARY = /^(?:i[3-6]86|athlon|geode|armv[5-8]\w*|ppc|s390)$/

interface Identity {
  readonly name: string
  readonly architecture: string
}

/** Pure: the name by which a package is managed. One of a second architecture is named with it, as `glibc.i686` beside `glibc`. */
export function packageKey({ name, architecture }: Identity): string {
  return SECONDARY.test(architecture) ? `${name}.${architecture}` : name
}

/** Pure: the name that the package itself has. */
export function packageName(key: string): string {
  const dot = key.lastIndexOf('.')
  return dot > 0 && SECONDARY.test(key.slice(dot + 1)) ? key.slice(0, dot) : key
}

/** Pure: one version of one package, as rpm and dnf name it. rpm 4.14 knows no epoch there. */
export function nevra({ name, version, architecture }: Identity & { readonly version: string }): string {
  return `${packageName(name)}-${version.replace(/^\d+:/, '')}.${architecture}`
}
