// Command device-plugin offers GPUs that do not exist to a kubelet, so that a cluster without a GPU schedules, counts and
// allocates nvidia.com/gpu as a real one does. Containers get the environment variable NVIDIA_VISIBLE_DEVICES and nothing
// else. It runs until SIGTERM or SIGINT and outlives kubelet restarts.
//
//	usage: device-plugin [--dir FOLDER] [--gpus UUID,UUID...]
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

func main() {
	dir := flag.String("dir", v1beta1.DevicePluginPath, "the kubelet's folder of device plugin sockets")
	gpus := flag.String("gpus", "GPU-70726574-656e-4465-8400-000000000000,GPU-70726574-656e-4465-8400-000000000001",
		"UUIDs of the GPUs to offer, with commas between")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	session := Session{Dir: *dir, Plugin: &Plugin{GPUs: strings.Split(*gpus, ",")}, Poll: 250 * time.Millisecond}
	session.Run(ctx)
}
