/** Numbers of a list such as `0-3,8`, as the kubelet writes sets of CPUs; undefined when it is none. */
export function cpusIn(list: string): ReadonlySet<number> | undefined {
  const cpus = new Set<number>()
  for (const part of list.split(',').filter((text) => text.trim() !== '')) {
    const [, first, last = first] = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part) ?? []
    if (first === undefined) return undefined
    for (let cpu = Number(first); cpu <= Number(last); cpu++) cpus.add(cpu)
  }
  return cpus
}
