#!/bin/sh
# What the agent and the API server expect of a kubelet, on a machine whose processor is emulated: a real one takes longer to start than
# the machine. Its Node is Ready for as long as the machine runs, and says which boot that is.
case "$*" in
*--version*)
  echo 'Kubernetes v1.35.4'
  exit
  ;;
*/none.sock*)
  echo 'E1122 12:00:00.000000       1 run.go:72] "command failed" err="validate CRI v1 runtime API for endpoint"' >&2
  exit 1
  ;;
esac
name=$(hostname)
server=$(sed -n 's/^ *server: //p' /etc/kubernetes/kubelet.conf)
info="\"bootID\": \"$(cat /proc/sys/kernel/random/boot_id)\", \"kernelVersion\": \"$(uname -r)\", \"kubeletVersion\": \"v1.35.4\""
info="{$info, \"operatingSystem\": \"linux\", \"architecture\": \"amd64\"}"
labels="{\"kubernetes.io/os\": \"linux\", \"kubernetes.io/arch\": \"amd64\", \"kubernetes.io/hostname\": \"$name\"}"

ask() {
  curl -sS --max-time 20 --cacert /etc/kubernetes/pki/ca.crt --cert /var/lib/kubelet/pki/kubelet-client-current.pem \
    -o /dev/null -X "$1" -H "Content-Type: $2" --data "$4" "$server/api/v1/nodes$3"
}

mkdir -p /run/stand-in
echo ok >/run/stand-in/healthz
busybox httpd -p 127.0.0.1:10248 -h /run/stand-in
# One that is there already stays.
ask POST application/json '' "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"$name\", \"labels\": $labels}}"
since=$(date -u +%FT%TZ)
while :; do
  ready="{\"type\": \"Ready\", \"status\": \"True\", \"reason\": \"KubeletReady\", \"message\": \"it stands in\""
  ready="$ready, \"lastHeartbeatTime\": \"$(date -u +%FT%TZ)\", \"lastTransitionTime\": \"$since\"}"
  ask PATCH application/merge-patch+json "/$name/status" "{\"status\": {\"conditions\": [$ready], \"nodeInfo\": $info}}"
  sleep 8
done
