package main

import (
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
)

func init() {
	laterVerdict = func(config *kubeletconfig.KubeletConfiguration) error {
		_, err := eviction.ParseThresholdConfig(config.EnforceNodeAllocatable, config.EvictionHard, config.EvictionSoft,
			config.EvictionSoftGracePeriod, config.EvictionMinimumReclaim)
		return err
	}
}
