/** The newest version of glibc that a program or library names, as `[2, 28]`. */
export function glibcWanted(content: Buffer): readonly [number, number] {
  const named = [...content.toString('latin1').matchAll(/GLIBC_(\d+)\.(\d+)/g)].map(
    ([, major, minor]) => [Number(major), Number(minor)] as const,
  )
  return named.reduce((newest, version) => (isNewer(version, newest) ? version : newest), [0, 0] as const)
}

export function isNewer(one: readonly [number, number], other: readonly [number, number]): boolean {
  return one[0] > other[0] || (one[0] === other[0] && one[1] > other[1])
}
