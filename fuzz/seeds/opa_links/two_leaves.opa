Rate;LinkDetails;CableLength;CableLabel;CableDetails;Port.NodeDesc;Port.PortNum;Port.NodeDesc;Port.PortNum
100g;;;;;leaf1;3;spine1;1
100g;;;;;node1 hfi1_0;1;leaf1;1
100g;;;;;leaf2;3;spine1;2
100g;;;;;node2 hfi1_0;1;leaf2;1
